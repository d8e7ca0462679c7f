import { createServer } from 'node:http';

/**
 * Answers deliveries at once, or never on paths that were told to hang, and tells what it saw:
 * `GET /` how many came, from when to when, and their delays; `PUT /hang/…` and `DELETE /hang/…`
 * let a path hang and release it; `DELETE /` forgets everything. The argument is the port.
 */
const [port] = process.argv.slice(2);
const hanging = new Map<string, (() => void)[]>();
let seen = { count: 0, firstAt: 0, lastAt: 0, delaysMs: [] as number[] };

/** From the change that made the event, in the envelope, to its arrival; both of one clock. */
const CREATED = /"timestamp":"([^"]+)"/;

function note(body: string): void {
  const now = performance.timeOrigin + performance.now();
  seen.firstAt ||= now;
  seen.lastAt = now;
  seen.count++;
  const created = CREATED.exec(body)?.[1];
  if (created !== undefined) seen.delaysMs.push(now - Date.parse(created));
}

function steer(method: string, path: string): string {
  if (path === '/' && method === 'GET') return JSON.stringify(seen);
  if (path === '/') seen = { count: 0, firstAt: 0, lastAt: 0, delaysMs: [] };
  const target = path.replace(/^\/hang/, '');
  if (method === 'PUT') hanging.set(target, []);
  else {
    for (const answer of hanging.get(target) ?? []) answer();
    hanging.delete(target);
  }
  return '';
}

createServer((request, response) => {
  const { method = '', url = '' } = request;
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk;
  });
  request.once('end', () => {
    if (method !== 'POST') return response.end(steer(method, url));
    const held = hanging.get(url);
    if (held !== undefined) return held.push(() => response.end('ok'));
    note(body);
    return response.end('ok');
  });
}).listen(Number(port), '127.0.0.1', () => console.log('listening'));
