import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, startChild, stopChild } from './children.ts';
import { freePorts } from './keyward-server.ts';

const PEER = fileURLToPath(new URL('peers/webhook-receiver.ts', import.meta.url));

interface Seen {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly delaysMs: readonly number[];
}

export interface BenchReceiver {
  readonly url: string;
  seen(): Promise<Seen>;
  forget(): Promise<void>;
  hang(path: string): Promise<void>;
  release(path: string): Promise<void>;
  /** Waits until so many have come. */
  arrived(count: number): Promise<Seen>;
  stop(): Promise<void>;
}

/** A receiver in a process of its own, on the core the load comes from. */
export async function startReceiver(): Promise<BenchReceiver> {
  const [port] = await freePorts();
  const child = startChild(process.execPath, [PEER, String(port)], { core: LOAD_CORE });
  await once(child.stdout!, 'data');
  const url = `http://127.0.0.1:${port}`;
  const steer = async (method: string, path: string) =>
    (await fetch(url + path, { method })).text();
  const seen = async () => JSON.parse(await steer('GET', '/')) as Seen;
  return {
    url,
    seen,
    forget: async () => void (await steer('DELETE', '/')),
    hang: async (path) => void (await steer('PUT', `/hang${path}`)),
    release: async (path) => void (await steer('DELETE', `/hang${path}`)),
    async arrived(count) {
      for (;;) {
        const now = await seen();
        if (now.count >= count) return now;
        await sleep(250);
      }
    },
    stop: () => stopChild(child),
  };
}
