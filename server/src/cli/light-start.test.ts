import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Prints the packages that are loaded before the command is known: they dominate the start time. */
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
  await import(${JSON.stringify(new URL('./run.ts', import.meta.url).href)});
  console.log(JSON.stringify([...loaded]));
`;

it('a command starts without the libraries of the server', async () => {
  const load = ['--input-type=module', '--eval', LOAD];
  const { stdout } = await promisify(execFile)(process.execPath, load);
  expect(JSON.parse(stdout)).toEqual([]);
});
