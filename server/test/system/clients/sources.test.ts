import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSnippets, validateSnippets } from '@keyward/dashboard/text/call-snippets.ts';
import { expect, it } from 'vitest';
import { runToEnd } from '../../harness/child.ts';
import {
  GO_CLIENT,
  GO_ENV,
  go,
  mypy,
  PYTHON_CLIENT,
  PYTHON_ENV,
  python,
  ROOT,
} from './client-driver.ts';

it('the Python client passes mypy in strict mode, for the oldest supported Python too', async () => {
  const cache = ['--cache-dir', join(ROOT, 'node_modules/.cache/mypy')];
  await runToEnd(mypy(), cache, PYTHON_CLIENT);
  const manifest = readFileSync(join(PYTHON_CLIENT, 'pyproject.toml'), 'utf8');
  const oldest = /requires-python = ">=([\d.]+)"/.exec(manifest)![1]!;
  await runToEnd(mypy(), [...cache, '--python-version', oldest], PYTHON_CLIENT);
});

it('the Go client is formatted, passes go vet, and needs no module', async () => {
  expect(await runToEnd(join(go(), '../gofmt'), ['-l', '.'], GO_CLIENT)).toBe('');
  await runToEnd(go(), ['vet', './...'], GO_CLIENT, GO_ENV);
  expect(readFileSync(join(GO_CLIENT, 'go.mod'), 'utf8')).not.toContain('require');
});

it('the code that the dashboard shows compiles in Go and in Python', async () => {
  const call = { origin: 'https://keys.example', accessKey: 'live_access_1' };
  const folder = mkdtempSync(join(tmpdir(), 'keyward-snippets-'));
  try {
    for (const [n, snippets] of [
      validateSnippets(call, 'live_2'),
      createSnippets(call, { projectId: 'prj_1', name: 'First' }),
    ].entries()) {
      writeFileSync(join(folder, `${n}.go`), snippets.go);
      writeFileSync(join(folder, `${n}.py`), snippets.python);
      await runToEnd(go(), ['vet', `${n}.go`], folder, GO_ENV);
      await runToEnd(python(), ['-m', 'py_compile', `${n}.py`], folder);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('the Python client has the version of the npm packages, and its README installs it', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'sdk/package.json'), 'utf8'));
  expect(readFileSync(join(PYTHON_CLIENT, 'pyproject.toml'), 'utf8')).toContain(
    `\nversion = "${version}"\n`,
  );
  for (const readme of ['clients/README.md', 'clients/python/README.md'])
    expect(readFileSync(join(ROOT, readme), 'utf8')).toContain(`keyward@v${version}#subdirectory`);
});

/** A server that returns the key and the port of its client, and `client`, which calls it. */
const ECHO = `
import json, os, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from keyward import Keyward

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        key = json.loads(self.rfile.read(int(self.headers["content-length"])))["key"]
        body = json.dumps({"id": key, "customMetaData": {"port": self.client_address[1]}}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
serving = os.fork()
if serving == 0:
    server.serve_forever()
server.socket.close()
client = Keyward(f"http://127.0.0.1:{server.server_port}", None, timeout=240)
`;

/** Without the check of the process id, parent and child would read each other's responses. */
const FORKED = `${ECHO}
reading, writing = os.pipe()
port = lambda: client.validate("a").record["customMetaData"]["port"]
before = port()
assert port() == before, "the connection is reused"
child = os.fork()
if child == 0:
    os.write(writing, b"own" if port() != before else b"shared")
    os._exit(0)
os.waitpid(child, 0)
print(os.read(reading, 10).decode(), port() == before)
os.kill(serving, 15)
`;

it('a forked Python process opens connections of its own', async () => {
  expect(await runToEnd(python(), ['-c', FORKED], ROOT, PYTHON_ENV)).toBe('own True\n');
});

const THREADS = `${ECHO}
right, ports = [], set()
def work(name):
    for n in range(30):
        record = client.validate(f"{name}-{n}").record
        ports.add(record["customMetaData"]["port"])
        if record["id"] == f"{name}-{n}": right.append(name)
threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(right), len(ports) <= 8)
os.kill(serving, 15)
`;

it('threads may share a Python client: each gets its own responses, and connections are reused', async () => {
  expect(await runToEnd(python(), ['-c', THREADS], ROOT, PYTHON_ENV)).toBe('240 True\n');
});
