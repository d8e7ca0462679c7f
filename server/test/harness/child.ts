import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

type Env = Record<string, string | undefined>;

/** Returns the standard output; throws with all output if the exit code is not 0. */
export async function runToEnd(
  command: string,
  argv: readonly string[],
  cwd: string,
  env: Env = {},
): Promise<string> {
  const child = spawn(command, argv, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  if (code !== 0) throw new Error(`${command} ${argv.join(' ')} exited with ${code}\n${out}${err}`);
  return out;
}

export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server and waits until its output contains its port. */
export function startServer(
  command: string,
  argv: readonly string[],
  cwd: string,
  env: Env,
  port: RegExp,
): Promise<RunningServer> {
  // A separate process group: some servers start child processes, which must end too.
  const child = spawn(command, argv, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${argv[0]} exited with ${code}: ${output}`)));
    const onOutput = (chunk: Buffer) => {
      output += chunk;
      const found = port.exec(output)?.[1];
      if (found !== undefined) {
        resolve({ url: `http://127.0.0.1:${found}`, stop: () => stop(child) });
      }
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid!, 'SIGKILL');
  await exit;
}
