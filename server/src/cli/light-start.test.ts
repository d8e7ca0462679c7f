import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** The addresses of the files that are loaded with a module. */
async function loadedWith(module: string): Promise<string[]> {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({
      load(url, context, next) {
        loaded.push(url);
        return next(url, context);
      },
    });
    await import(${JSON.stringify(new URL(module, import.meta.url).href)});
    console.log(JSON.stringify(loaded));
  `;
  const load = ['--input-type=module', '--eval', program];
  return JSON.parse((await promisify(execFile)(process.execPath, load)).stdout);
}

it('a command starts without the libraries of the server, which dominate the start time', async () => {
  for (const module of ['./run.ts', './commands/index.ts']) {
    const loaded = await loadedWith(module);
    expect(loaded.filter((url) => url.includes('/node_modules/'))).toEqual([]);
  }
});

it('an edge starts without the other commands, which would take 2 MB', async () => {
  const loaded = await loadedWith('./run.ts');
  const commands = loaded.filter((url) => url.includes('/cli/commands/'));
  expect(commands.map((url) => url.split('/cli/commands/')[1])).toEqual(['edge.ts']);
});
