import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { routesInOrder, runInOrder, sampleIn } from '../../docs/reference/in-order.ts';
import { startReader } from '../../docs/reference/reader.ts';
import { runToEnd } from '../../harness/child.ts';
import { buildGo, GO_CLIENT, GO_ENV, go, PYTHON_ENV, python } from './client-driver.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyward-samples-'));
const CLIENT = 'github.com/keyward/keyward/clients/go';
beforeAll(() => {
  const lines = [
    'module samples',
    'go 1.19',
    `require ${CLIENT} v0.0.0`,
    `replace ${CLIENT} => ${GO_CLIENT}`,
  ];
  writeFileSync(join(folder, 'go.mod'), `${lines.join('\n')}\n`);
  for (const route of routesInOrder) {
    mkdirSync(join(folder, route.operationId));
    writeFileSync(join(folder, route.operationId, 'main.go'), `${sampleIn('go', route)}\n`);
  }
});
/** Runs programs one after the other: to start Python for each would take most of the time. */
const RUNNER = `
import contextlib, io, json, os, sys, traceback

for line in sys.stdin:
    program = json.loads(line)
    os.environ.update(program['env'])
    output, error = io.StringIO(), None
    with contextlib.redirect_stdout(output):
        try:
            exec(program['source'], {})
        except Exception:
            error = traceback.format_exc()
    print(json.dumps({'output': output.getvalue(), 'error': error}), flush=True)
`;

afterAll(() => rmSync(folder, { recursive: true }));

it('every sample of the API reference in Python succeeds, in the order of the page', async () => {
  const reader = await startReader();
  const child = spawn(python(), ['-c', RUNNER], {
    env: { ...process.env, ...PYTHON_ENV },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  try {
    await runInOrder(reader, async (route, env) => {
      child.stdin.write(`${JSON.stringify({ source: sampleIn('python', route), env })}\n`);
      const { output, error } = JSON.parse((await lines.next()).value!);
      if (error !== null) throw new Error(error);
      return output;
    });
  } finally {
    child.stdin.end();
    await reader.test.close();
  }
});

it('every sample of the API reference in Go is formatted, and passes go vet', async () => {
  expect(await runToEnd(join(go(), '../gofmt'), ['-l', '.'], folder)).toBe('');
  await runToEnd(go(), ['vet', './...'], folder, GO_ENV);
});

// Building each of them would take a minute.
it('samples of the API reference in Go run', async () => {
  const reader = await startReader();
  const run = async (operationId: string, env: Readonly<Record<string, string>>) => {
    const program = join(folder, operationId, 'program');
    await buildGo(join(folder, operationId), program);
    return runToEnd(program, [], folder, env);
  };
  try {
    const { key } = JSON.parse(await run('createApiKey', reader.env));
    const env = { ...reader.env, KEY: key };
    expect(JSON.parse(await run('updateApiKey', env)).name).toBe('Ada, staging');
    expect(await run('validateApiKeys', env)).toMatch(/^true/);
  } finally {
    await reader.test.close();
  }
});
