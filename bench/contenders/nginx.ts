import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath } from '../../scripts/test-tools.ts';
import { type Absent, type Contender, type Course, sameSize, startContender } from './contender.ts';

const NAME = 'nginx with a map and limit_req';

/** A map of all keys and `limit_req` for every other, with a limit that no run reaches. */
export async function nginx(course: Course): Promise<Contender | Absent> {
  const command = findOnPath(['nginx']);
  if (command === null) return { name: NAME, absent: 'nginx is not installed' };
  const folder = join(course.folder, 'nginx');
  mkdirSync(folder);
  const file = join(folder, 'nginx.conf');
  const contender = await startContender({
    name: NAME,
    command,
    args: (port) => {
      writeFileSync(file, configuration(course, folder, port));
      return ['-c', file, '-p', folder, '-e', join(folder, 'error.log')];
    },
    keysFile: course.keysFile,
    firstKey: () => course.keys[0]!,
  });
  sameSize(NAME, contender.first, course.answers[0]);
  return contender;
}

function configuration({ keys, answers }: Course, folder: string, port: number): string {
  const map = join(folder, 'keys.map');
  writeFileSync(
    map,
    keys.map((key, n) => `/api-keys/auth/${key} ${n % 2 === 0 ? 'limited' : 'free'};\n`).join(''),
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join('\n  ');
  return `
daemon off;
master_process off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 2048; }
http {
  ${temporary}
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 75s 75s;
  map_hash_max_size 1048576;
  map_hash_bucket_size 512;
  map $uri $kind { include ${map}; }
  map $kind $limited_by { limited $uri; }
  map $kind $body { limited '${answers[0].body}'; free '${answers[1].body}'; }
  limit_req_zone $limited_by zone=keys:64m rate=100000r/s;
  ${headerMaps(answers)}
  server {
    listen 127.0.0.1:${port};
    default_type 'application/json; charset=utf-8';
    location / {
      limit_req zone=keys burst=100000 nodelay;
      # A return here would be answered before the limit is looked at.
      try_files /no-such-file @answer;
    }
    location @answer {
      if ($kind = '') { return 404; }
      ${sentHeaders(answers)}
      return 200 $body;
    }
  }
}
`;
}

/** Those that nginx does not write by itself. */
const OWN = new Set(['date', 'connection', 'keep-alive', 'content-length', 'content-type']);
const headersOf = (answers: Course['answers']) =>
  answers[0].headers.filter(([name]) => !OWN.has(name.toLowerCase()));
const variable = (name: string): string => `$h_${name.toLowerCase().replaceAll('-', '_')}`;

/** A header that only limited keys have is empty for the others, and nginx leaves it out. */
function headerMaps(answers: Course['answers']): string {
  const free = new Map(answers[1].headers.map(([name, value]) => [name.toLowerCase(), value]));
  return headersOf(answers)
    .map(([name, value]) => {
      const other = free.get(name.toLowerCase()) ?? '';
      return `map $kind ${variable(name)} { limited '${value}'; free '${other}'; }`;
    })
    .join('\n  ');
}

const sentHeaders = (answers: Course['answers']): string =>
  headersOf(answers)
    .map(([name]) => `add_header ${name} ${variable(name)};`)
    .join('\n      ');
