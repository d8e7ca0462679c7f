import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const KEYWARD = fileURLToPath(new URL('../../../../bin/keyward.mjs', import.meta.url));

export interface CommandRun {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; out: string; err: string }>;
}

/** Runs the command line in a separate process, with only `env` and PATH in its environment. */
export function keyward(argv: readonly string[], env: Record<string, string> = {}): CommandRun {
  const child = spawn(process.execPath, [KEYWARD, ...argv], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((done) => child.once('exit', done));
  const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]).then(
    ([code, out, err]) => ({ code, out, err }),
  );
  return { child, ended };
}
