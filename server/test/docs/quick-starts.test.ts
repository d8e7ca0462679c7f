// Takes 6 s of CPU: starts a process for each framework.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FRAMEWORKS } from '../../src/cli/commands/init/frameworks.ts';
import { type RunningServer, runToEnd, startServer } from '../harness/child.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { ROOT } from './blocks.ts';
import { QUICK_STARTS, requestsTo, statusesIn } from './quick-start-pages.ts';

describe.each(QUICK_STARTS)('$file', ({ name, install, program, start }) => {
  const framework = FRAMEWORKS[name];

  it('has what `keyward init` prints', () => {
    expect(install).toBe(`${framework.install}\n`);
    expect(program.code).toBe(framework.code);
    expect(start.split('\n').at(-2)).toBe(framework.start);
  });
});

/** What starts the programs that a framework starts itself: express.md, fastify.md, hono.md and node.md need none. */
const STARTERS: Readonly<Record<string, string>> = {
  'nest.md': `import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppController } from './nest.mjs';
class AppModule {}
Module({ controllers: [AppController] })(AppModule);
await (await NestFactory.create(AppModule, { logger: ['error'] })).listen(0);
`,
  'next.md': `import { createServer } from 'node:http';
import { GET } from './next.mjs';
createServer(async ({ url, headers }, outgoing) => {
  const request = new Request(new URL(url, 'http://127.0.0.1'), { headers });
  const response = await GET(request, { params: Promise.resolve({}) });
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
}).listen(0);
`,
};

/** Prints the port as soon as a server listens. */
const PRINT_PORT = `data:text/javascript,${encodeURIComponent(`
import { subscribe } from 'node:diagnostics_channel';
subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => console.log('port', server.address().port));`)}`;

function toScript(code: string): string {
  const { outputText } = ts.transpileModule(code.replace(/\b3000\b/, '0'), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      experimentalDecorators: true,
    },
  });
  return outputText;
}

describe('the programs in JavaScript', () => {
  const folder = mkdtempSync(join(ROOT, 'server/test/.docs-'));
  let test: TestApp;
  let env: Record<string, string>;
  let key: string;
  beforeAll(async () => {
    test = await startTestApp({ realClock: true });
    env = { KEYWARD_URL: test.url, KEYWARD_ACCESS_KEY: test.accessKey };
    ({ key } = (await test.client.post('/api-keys', { name: 'Ada' })).body);
  });
  afterAll(async () => {
    await test.close();
    rmSync(folder, { recursive: true });
  });

  function startProgram(name: string, code: string): Promise<RunningServer> {
    const files = { [`${name}.mjs`]: toScript(code), [`${name}-main.mjs`]: STARTERS[`${name}.md`] };
    for (const [file, text] of Object.entries(files))
      if (text !== undefined) writeFileSync(join(folder, file), text);
    const main = STARTERS[`${name}.md`] === undefined ? `${name}.mjs` : `${name}-main.mjs`;
    return startServer(process.execPath, ['--import', PRINT_PORT, main], folder, env, /port (\d+)/);
  }

  it.each(QUICK_STARTS.filter(({ program }) => ['js', 'ts'].includes(program.language)))(
    'of $file protect an API',
    async (page) => {
      const server = await startProgram(page.name, page.program.code);
      try {
        const output = await runToEnd('bash', ['-c', requestsTo(page, server.url, key)], folder);
        expect(statusesIn(output)).toEqual(['401', '200']);
        expect(output).toContain('{"hello":"Ada"}');
      } finally {
        await server.stop();
      }
    },
  );
});
