// Runs every command of the API reference, which starts several hundred processes.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findOnPath } from '../../../../scripts/test-tools.ts';
import { curl } from '../../../src/http/openapi/samples/curl.ts';
import { ROOT } from '../blocks.ts';
import { runnable } from './in-order.ts';
import { type Reader, startReader } from './reader.ts';
import { recording } from './recording.ts';

const RECORDED = join(ROOT, 'server/src/http/openapi/samples/recorded.json');

const END = '@@ end of sample @@';
const STATUS = /\n@@ (\d+) @@\n/;

const folder = mkdtempSync(join(tmpdir(), 'keyward-samples-'));
let reader: Reader;
beforeAll(async () => {
  reader = await startReader();
});
afterAll(async () => {
  await reader?.test.close();
  rmSync(folder, { recursive: true });
});

/** Pastes the samples into one shell, one after the other, and returns what each showed. */
async function paste(samples: readonly string[]): Promise<string[]> {
  for (const tool of ['bash', 'curl'])
    if (findOnPath([tool]) === null)
      throw new Error(`The samples of the API reference need ${tool}, which is not on the PATH.`);
  writeFileSync(
    join(folder, '.curlrc'),
    'silent\nshow-error\nwrite-out = "\\n@@ %{http_code} @@\\n"\n',
  );
  // One pipe for both kinds of output, which /dev/stderr can open.
  const shell = spawn('bash', ['-c', 'exec bash 2>&1 | cat'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...reader.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(shell.stdout)[Symbol.asyncIterator]();
  const outputs: string[] = [];
  for (const sample of samples) {
    // What was used before is in the analytics.
    await reader.test.app.tally.flush();
    shell.stdin.write(`${sample}\necho '${END}'\n`);
    let output = '';
    for (let line = await lines.next(); line.value !== END; line = await lines.next()) {
      if (line.done) throw new Error(`The shell ended after: ${output}`);
      output += `${line.value}\n`;
    }
    outputs.push(output);
  }
  shell.stdin.end();
  return outputs;
}

it('every sample for a shell succeeds when it is pasted, in the order of the page', async () => {
  const responses = new Map<string, string>();
  const outputs = await paste(runnable.map(curl));
  expect(outputs).toHaveLength(runnable.length);
  const failed = outputs.flatMap((output, number) => {
    const { operationId, status } = runnable[number]!;
    const [body, shown] = output.split(STATUS).slice(-3);
    responses.set(operationId, body!);
    return Number(shown) === status ? [] : [`${operationId}: ${shown} ${body}`];
  });
  expect(failed).toEqual([]);

  await expect(recording(runnable, responses, reader)).toMatchFileSnapshot(RECORDED);
});
