import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

type Env = Record<string, string | undefined>;

/** What it wrote; an error with everything it said when it ended with anything but 0. */
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
  if (code !== 0) throw new Error(`${command} ${argv.join(' ')} ended with ${code}\n${out}${err}`);
  return out;
}

export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server and waits until what it writes tells its port. */
export function startServer(
  command: string,
  argv: readonly string[],
  cwd: string,
  env: Env,
  port: RegExp,
): Promise<RunningServer> {
  // A group of its own: some servers start others, and all of them must end.
  const child = spawn(command, argv, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${argv[0]} ended with ${code}: ${said}`)));
    const listen = (chunk: Buffer) => {
      said += chunk;
      const found = port.exec(said)?.[1];
      if (found !== undefined) {
        resolve({ url: `http://127.0.0.1:${found}`, stop: () => stop(child) });
      }
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid!, 'SIGKILL');
  await exit;
}
