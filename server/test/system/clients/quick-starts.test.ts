import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { QUICK_STARTS, requestsTo, statusesIn } from '../../docs/quick-start-pages.ts';
import { type RunningServer, runToEnd, startServer } from '../../harness/child.ts';
import { freePort } from '../../harness/free-port.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { buildGo, GO_CLIENT, PYTHON_ENV, ROOT } from './client-driver.ts';

/** The one for which Debian's packages of FastAPI and Flask are built. */
const DEBIAN_PYTHON = '/usr/bin/python3';
const folder = mkdtempSync(join(tmpdir(), 'keyward-quick-starts-'));

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ realClock: true });
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

const env = () => ({ ...PYTHON_ENV, KEYWARD_URL: test.url, KEYWARD_ACCESS_KEY: test.accessKey });

/** Starts the program of `api.py` with a command of its page, on any port. */
const startPython = (command: string, port: RegExp): Promise<RunningServer> =>
  startServer(DEBIAN_PYTHON, ['-m', ...command.split(' ')], folder, env(), port);

const STARTS: Readonly<Record<string, (start: string, code: string) => Promise<RunningServer>>> = {
  'fastapi.md': (start) => startPython(start, /running on http:\S+:(\d+)/),
  'flask.md': (start) => startPython(start, /Running on http:\S+:(\d+)/),
  async 'go.md'(start, code) {
    expect(start).toBe('go run .');
    const port = await freePort();
    const listening = 'log.Fatal(http.ListenAndServe(';
    expect(code).toContain(listening);
    const announced = `log.Print("port ${port}")\n\t${listening}`;
    const main = code.replace(listening, announced).replace(':3000', `:${port}`);
    writeFileSync(join(folder, 'main.go'), main);
    const manifest = readFileSync(join(ROOT, 'examples/edge-go/go.mod'), 'utf8');
    writeFileSync(join(folder, 'go.mod'), manifest.replace('../../clients/go', GO_CLIENT));
    await buildGo(folder, join(folder, 'api'));
    return startServer(join(folder, 'api'), [], folder, env(), /port (\d+)/);
  },
};

it.each(QUICK_STARTS.filter(({ program }) => ['python', 'go'].includes(program.language)))(
  'the program of $file protects an API',
  async (page) => {
    const { key } = (await test.client.post('/api-keys', { name: 'Ada' })).body;
    const command = page.start.split('\n').at(-2)!.replace(' 3000', ' 0');
    writeFileSync(join(folder, 'api.py'), page.program.code);
    const server = await STARTS[page.file.split('/').at(-1)!]!(command, page.program.code);
    try {
      const output = await runToEnd('bash', ['-c', requestsTo(page, server.url, key)], folder);
      expect(statusesIn(output)).toEqual(['401', '200']);
      expect(output).toContain('Ada');
    } finally {
      await server.stop();
    }
  },
);
