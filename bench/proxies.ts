import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PeerInput, WireResponse } from './peers.ts';

/** Headers that nginx and HAProxy write themselves. */
const OWN = new Set(['connection', 'keep-alive', 'content-length', 'content-type']);

const kindOf = (n: number) => (n % 2 === 0 ? 'limited' : 'unlimited');

/** A map of all keys, and `limit_req` for every other key with a limit that no run reaches. */
export function nginxArguments(input: PeerInput, port: number): string[] {
  const folder = join(input.folder, 'nginx');
  mkdirSync(folder);
  const [limited, unlimited] = input.responses;
  const map = join(folder, 'keys.map');
  const entries = input.keys.map((key, n) => `/api-keys/auth/${key} ${kindOf(n)};\n`);
  writeFileSync(map, entries.join(''));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join('\n  ');
  const headers = limited.headers
    .filter(([name]) => !OWN.has(name.toLowerCase()) && name.toLowerCase() !== 'date')
    .map(([name, value]) => {
      const variable = `$h_${name.toLowerCase().replaceAll('-', '_')}`;
      // nginx leaves out a header whose value is empty.
      const other = unlimited.headers.find((header) => header[0] === name)?.[1] ?? '';
      return {
        map: `map $kind ${variable} { limited '${value}'; unlimited '${other}'; }`,
        add: `add_header ${name} ${variable};`,
      };
    });
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `
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
  map $kind $body { limited '${limited.body}'; unlimited '${unlimited.body}'; }
  limit_req_zone $limited_by zone=keys:64m rate=100000r/s;
  ${headers.map((header) => header.map).join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    default_type 'application/json; charset=utf-8';
    location / {
      limit_req zone=keys burst=100000 nodelay;
      # try_files, because a return here would respond before the limit is checked.
      try_files /no-such-file @answer;
    }
    location @answer {
      if ($kind = '') { return 404; }
      ${headers.map((header) => header.add).join('\n      ')}
      return 200 $body;
    }
  }
}
`,
  );
  return ['-c', file, '-p', folder, '-e', join(folder, 'error.log')];
}

/** A map of all keys, and a stick table for every other key. */
export function haproxyArguments(input: PeerInput, port: number): string[] {
  const folder = join(input.folder, 'haproxy');
  mkdirSync(folder);
  const map = join(folder, 'keys.map');
  const entries = input.keys.map((key, n) => `/api-keys/auth/${key} ${kindOf(n)}\n`);
  writeFileSync(map, entries.join(''));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `
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
  ${input.responses.map((response, n) => haproxyReturn(folder, kindOf(n), response)).join('\n  ')}
  http-request return status 404
`,
  );
  return ['-db', '-q', '-f', file];
}

function haproxyReturn(folder: string, kind: string, { headers, body }: WireResponse): string {
  const file = join(folder, `${kind}.json`);
  writeFileSync(file, body);
  const added = headers
    .filter(([name]) => !OWN.has(name.toLowerCase()))
    .map(([name, value]) => `hdr ${name} "${value}"`);
  return `http-request return status 200 content-type "application/json; charset=utf-8" file ${file} ${added.join(' ')} if { var(txn.kind) -m str ${kind} }`;
}
