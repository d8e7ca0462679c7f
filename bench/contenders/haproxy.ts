import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath } from '../../scripts/test-tools.ts';
import type { RawAnswer } from '../raw-answer.ts';
import { type Absent, type Contender, type Course, sameSize, startContender } from './contender.ts';

const NAME = 'HAProxy with a map and a stick table';

/** A map of all keys and a stick table for every other, with a limit that no run reaches. */
export async function haproxy(course: Course): Promise<Contender | Absent> {
  const command = findOnPath(['haproxy']);
  if (command === null) return { name: NAME, absent: 'haproxy is not installed' };
  const folder = join(course.folder, 'haproxy');
  mkdirSync(folder);
  const file = join(folder, 'haproxy.cfg');
  const contender = await startContender({
    name: NAME,
    command,
    args: (port) => {
      writeFileSync(file, configuration(course, folder, port));
      return ['-db', '-q', '-f', file];
    },
    keysFile: course.keysFile,
    firstKey: () => course.keys[0]!,
  });
  sameSize(NAME, contender.first, course.answers[0]);
  return contender;
}

function configuration({ keys, answers }: Course, folder: string, port: number): string {
  const map = join(folder, 'keys.map');
  const kindOf = (n: number) => (n % 2 === 0 ? 'limited' : 'free');
  writeFileSync(map, keys.map((key, n) => `/api-keys/auth/${key} ${kindOf(n)}\n`).join(''));
  const answered = answers.map((answer, n) => returned(folder, kindOf(n), answer));
  return `
global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout client 75s
  timeout http-keep-alive 75s
  timeout connect 5s
  timeout server 5s
frontend keys
  bind 127.0.0.1:${port}
  stick-table type string len 96 size 250k expire 1h store http_req_rate(1h)
  http-request set-var(txn.kind) path,map_str(${map},unknown)
  http-request track-sc0 path if { var(txn.kind) -m str limited }
  http-request deny deny_status 429 if { sc_http_req_rate(0) gt 1000000 }
  ${answered.join('\n  ')}
  http-request return status 404
`;
}

/** HAProxy writes the length by itself. */
const OWN = new Set(['connection', 'keep-alive', 'content-length', 'content-type']);

function returned(folder: string, kind: string, { headers, body }: RawAnswer): string {
  const file = join(folder, `${kind}.json`);
  writeFileSync(file, body);
  const sent = headers
    .filter(([name]) => !OWN.has(name.toLowerCase()))
    .map(([name, value]) => `hdr ${name} "${value}"`);
  return `http-request return status 200 content-type "application/json; charset=utf-8" file ${file} ${sent.join(' ')} if { var(txn.kind) -m str ${kind} }`;
}
