import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findOnPath } from '../../../../scripts/test-tools.ts';
import { freePort } from '../../harness/free-port.ts';

const fileOf = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../deploy/${name}`, import.meta.url)), 'utf8');

export const BALANCERS = ['haproxy', 'nginx'] as const;
export type BalancerName = (typeof BALANCERS)[number];

export interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a load balancer with its file in `deploy/`, in front of three nodes (`host:port`). */
export async function startBalancer(
  name: BalancerName,
  nodes: readonly string[],
  folder: string,
): Promise<Balancer> {
  mkdirSync(folder, { recursive: true });
  const listen = `127.0.0.1:${await freePort()}`;
  const balancer =
    name === 'haproxy' ? haproxy(listen, nodes, folder) : nginx(listen, nodes, folder);
  const ended = once(balancer, 'exit').then(([code]) => {
    throw new Error(`${name} exited with ${code}`);
  });
  ended.catch(() => {});
  const url = `http://${listen}`;
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  while (!(await Promise.race([isReady(), ended]))) await wait(50);
  return {
    url,
    async stop() {
      // nginx ends its workers at SIGTERM only.
      balancer.kill('SIGTERM');
      await ended.catch(() => {});
    },
  };
}

function haproxy(listen: string, nodes: readonly string[], folder: string): ChildProcess {
  // A node on a busy machine may take longer than a second for a check. A stopped one refuses it at once.
  const checks = 'timeout queue 2s\n  timeout check 60s\n';
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, fileOf('haproxy.cfg').replace('timeout queue 2s\n', checks));
  const addresses = Object.fromEntries(nodes.map((node, n) => [`NODE_${n + 1}`, node]));
  return spawn(programOf('haproxy'), ['-db', '-f', file], {
    env: { LISTEN: listen, ...addresses },
    stdio: 'ignore',
  });
}

/** The probe and the connection to a node may take longer on a busy machine, too. */
function nginx(listen: string, nodes: readonly string[], folder: string): ChildProcess {
  const file = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  let text = fileOf('nginx.conf')
    .replace('127.0.0.1:8080', listen)
    .replace('proxy_connect_timeout 1s', 'proxy_connect_timeout 60s')
    .replace('proxy_read_timeout 2s', 'proxy_read_timeout 60s')
    .replace('access_log off;', `access_log off; ${temporary.join(' ')}`);
  for (const [n, node] of nodes.entries()) text = text.replace(`node-${n + 1}:8080`, node);
  writeFileSync(file, text);
  const global = `daemon off; worker_processes 2; pid ${folder}/pid; error_log ${folder}/error.log;`;
  return spawn(programOf('nginx'), ['-p', folder, '-e', 'stderr', '-c', file, '-g', global], {
    stdio: 'ignore',
  });
}

function programOf(name: BalancerName): string {
  const program = process.env[`${name.toUpperCase()}_PATH`] ?? findOnPath([name]);
  if (program === null) throw new Error(`${name} is not on PATH; see scripts/test-tools.ts`);
  return program;
}
