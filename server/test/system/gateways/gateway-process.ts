import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findOnPath } from '../../../../scripts/test-tools.ts';
import { freePort } from '../../harness/free-port.ts';

export const GATEWAYS = ['nginx', 'caddy', 'haproxy'] as const;
export type GatewayName = (typeof GATEWAYS)[number];

export const RECIPES = new URL('../../../../docs/gateways/', import.meta.url);

export interface Gateway {
  readonly url: string;
  stop(): Promise<void>;
}

interface Addresses {
  readonly keywardPort: number;
  readonly apiPort: number;
  readonly accessKey: string;
  /** Uses the timeouts of the recipe; by default, longer ones that a busy machine does not reach. */
  readonly withRecipeTimeouts?: boolean;
  /** Changes the recipe first, for example for another address of Keyward. */
  readonly edit?: (recipe: string) => string;
}

/** Writes the recipe to a new folder and returns the arguments of the program. */
const STARTS: Record<GatewayName, (folder: string, recipe: (name: string) => void) => string[]> = {
  nginx(folder, recipe) {
    recipe('nginx.conf');
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    );
    writeFileSync(
      join(folder, 'main.conf'),
      `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr warn;
       events {} http { access_log off; underscores_in_headers on; ${temporary.join(' ')} include ${folder}/nginx.conf; }`,
    );
    return ['-p', folder, '-e', 'stderr', '-c', join(folder, 'main.conf')];
  },
  caddy(folder, recipe) {
    recipe('Caddyfile');
    return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
  },
  haproxy(folder, recipe) {
    recipe('haproxy.cfg');
    recipe('keyward.lua');
    return ['-db', '-f', join(folder, 'haproxy.cfg')];
  },
};

/** Starts the real program with its recipe from docs/gateways; only addresses and the key change. */
export async function startGateway(name: GatewayName, addresses: Addresses): Promise<Gateway> {
  const program = process.env[`${name.toUpperCase()}_PATH`] ?? findOnPath([name]);
  if (program === null) throw new Error(`${name} is not on PATH; see scripts/test-tools.ts`);
  const folder = mkdtempSync(join(tmpdir(), `keyward-${name}-`));
  // If nginx starts as root, its workers run as another user.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const innerPort = await freePort();
  const ports: Record<string, number> = {
    8080: addresses.keywardPort,
    3000: addresses.apiPort,
    8000: port,
    8001: innerPort,
  };
  const recipe = (file: string): void => {
    const { edit = (unchanged) => unchanged } = addresses;
    let text = edit(readFileSync(new URL(file, RECIPES), 'utf8'))
      // In one pass: a port may begin with the digits of another.
      .replaceAll(/(?<=127\.0\.0\.1:)(8080|3000|8000|8001)\b/g, (each) => `${ports[each]}`)
      .replace(/KEYWARD_ACCESS_KEY(?=[;\n])/, addresses.accessKey);
    if (!addresses.withRecipeTimeouts)
      text = text.replaceAll(/\b[37]00ms/g, '60s').replace('timeout = 1000', 'timeout = 60000');
    // The admin API of Caddy would listen on a fixed port.
    if (file === 'Caddyfile') text = `{\n\tadmin off\n}\n${text}`;
    writeFileSync(join(folder, file), text);
  };
  const child = spawn(program, STARTS[name](folder, recipe), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output = (output + chunk).slice(-10_000);
    });
  await untilListening(port, child, () => output);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilListening(
  port: number,
  child: ChildProcess,
  output: () => string,
): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isUp) return;
    await sleep(25);
  }
  throw new Error(`The gateway exited during startup: ${output()}`);
}
