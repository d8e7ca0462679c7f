// Takes 10 s of CPU: the compiler loads the types of the SDK, and every sample is run.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../blocks.ts';
import { routesInOrder, runInOrder, sampleIn } from './in-order.ts';
import { type Reader, startReader } from './reader.ts';

const RUNNER = join(ROOT, 'server/test/docs/reference/typescript-run.mjs');

const folder = mkdtempSync(join(ROOT, 'server/test/.samples-'));
const fileOf = (operationId: string) => join(folder, `${operationId}.mts`);
let reader: Reader;
beforeAll(async () => {
  for (const route of routesInOrder)
    writeFileSync(fileOf(route.operationId), `${sampleIn('typescript', route)}\nexport {};\n`);
  reader = await startReader();
});
afterAll(async () => {
  await reader?.test.close();
  rmSync(folder, { recursive: true });
});

it('every sample in TypeScript has the types of the SDK', () => {
  const files = routesInOrder.map(({ operationId }) => fileOf(operationId));
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
  });
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => [
      file?.fileName.slice(folder.length),
      ts.flattenDiagnosticMessageText(messageText, '\n'),
    ]);
  expect(problems).toEqual([]);
});

it('every sample in TypeScript succeeds, in the order of the page', async () => {
  const child = spawn(process.execPath, [RUNNER], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  await runInOrder(reader, async ({ operationId }, env) => {
    child.stdin.write(`${JSON.stringify({ file: fileOf(operationId), env })}\n`);
    const { output, error } = JSON.parse(
      (await lines.next()).value ?? '{"error":"The runner ended."}',
    );
    if (error !== undefined) throw new Error(error);
    // `fetch` does not throw.
    if (/"statusCode":/.test(output)) throw new Error(output);
    return output;
  });
  child.stdin.end();
});
