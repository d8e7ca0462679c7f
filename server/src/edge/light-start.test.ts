import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Prints the packages that an edge loads. */
const LOAD = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    load(url, context, next) {
      const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*node_modules\\/)/.exec(url)?.[1];
      if (name !== undefined) loaded.add(name);
      return next(url, context);
    },
  });
  await import(${JSON.stringify(new URL('./serve.ts', import.meta.url).href)});
  console.log(JSON.stringify([...loaded]));
`;

it('an edge starts without the libraries of the server', async () => {
  const load = ['--input-type=module', '--eval', LOAD];
  const { stdout } = await promisify(execFile)(process.execPath, load);
  const loaded = JSON.parse(stdout) as string[];
  expect(loaded).toContain('pino');
  for (const name of ['fastify', 'kysely', 'better-auth', 'pg', 'iovalkey', 'nodemailer', 'undici'])
    expect(loaded).not.toContain(name);
  // Loaded with the first request that needs them, to keep an idle edge small.
  for (const name of ['ajv', 'typebox', 'prom-client']) expect(loaded).not.toContain(name);
});
