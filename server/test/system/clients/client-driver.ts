import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { findOnPath } from '../../../../scripts/test-tools.ts';
import { runToEnd } from '../../harness/child.ts';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
export const PYTHON_CLIENT = join(ROOT, 'clients/python');
export const GO_CLIENT = join(ROOT, 'clients/go');

function program(variable: string, command: string): string {
  const found = process.env[variable] ?? findOnPath([command]);
  if (found === null) throw new Error(`${command} is not on PATH; see scripts/test-tools.ts`);
  return found;
}

export const python = (): string => program('PYTHON_PATH', 'python3');
export const mypy = (): string => program('MYPY_PATH', 'mypy');
export const go = (): string => program('GO_PATH', 'go');

/** For `python3`: the client from the repository, and no files beside the sources. */
export const PYTHON_ENV = {
  PYTHONPATH: join(PYTHON_CLIENT, 'src'),
  PYTHONDONTWRITEBYTECODE: '1',
};

/** For `go`: nothing is downloaded, and later builds reuse what was compiled. */
export const GO_ENV = {
  GOCACHE: join(ROOT, 'node_modules/.cache/go-build'),
  GOFLAGS: '-mod=mod',
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
  CGO_ENABLED: '0',
};

/** Builds the main package in `folder`. */
export const buildGo = (folder: string, output: string): Promise<string> =>
  runToEnd(go(), ['build', '-o', output, '.'], folder, GO_ENV);

/** The result of a call; errors of the client have a code. */
interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A program in another language that calls its client. */
export class ClientDriver {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: NodeJS.AsyncIterator<string>;

  constructor(command: string, argv: readonly string[], env: Readonly<Record<string, string>>) {
    this.#child = spawn(command, argv, {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** Calls are answered in order. Rejects with the `code` and `message` of an error. */
  async call<Result>(method: string, args: object = {}): Promise<Result> {
    this.#child.stdin.write(`${JSON.stringify({ method, args })}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('The driver has exited; its error is in the output.');
    const { result, error } = JSON.parse(value) as Answer;
    if (error !== undefined) throw Object.assign(new Error(error.message), error);
    return result as Result;
  }

  async close(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.stdin.end();
    await exited;
  }
}

export const LANGUAGES = {
  async python(): Promise<ClientDriver> {
    return new ClientDriver(python(), [join(PYTHON_CLIENT, 'tests/driver.py')], PYTHON_ENV);
  },
  async go(folder: string): Promise<ClientDriver> {
    const driver = join(folder, 'driver');
    await buildGo(join(GO_CLIENT, 'internal/driver'), driver);
    return new ClientDriver(driver, [], {});
  },
};
export type Language = keyof typeof LANGUAGES;
