import { freePorts } from './keyward-server.ts';
import type { Profile } from './profile.ts';

/**
 * Node's inspector, from outside: it collects garbage and profiles when asked, so that the server
 * itself needs no door for benchmarks.
 */
export async function inspectorFlags(): Promise<{ flags: string[]; port: number }> {
  const [port] = await freePorts();
  return { flags: [`--inspect=127.0.0.1:${port}`, '--inspect-publish-uid=http'], port };
}

type Ask = (method: string, params?: object) => Promise<unknown>;

export const collectGarbage = (port: number): Promise<void> =>
  talk(port, async (ask) => {
    // What the first leaves to finalisers, the second takes.
    await ask('HeapProfiler.collectGarbage');
    await ask('HeapProfiler.collectGarbage');
  });

/** A CPU profile of the thread that answers requests, while `work` runs. */
export const profileDuring = (port: number, work: () => Promise<unknown>): Promise<Profile> =>
  talk(port, async (ask) => {
    await ask('Profiler.enable');
    await ask('Profiler.setSamplingInterval', { interval: 500 });
    await ask('Profiler.start');
    await work();
    return ((await ask('Profiler.stop')) as { profile: Profile }).profile;
  });

async function talk<T>(port: number, conversation: (ask: Ask) => Promise<T>): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await answer.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target!.webSocketDebuggerUrl);
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  let asked = 0;
  const ask: Ask = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++asked, resolve);
      socket.send(JSON.stringify({ id: asked, method, params }));
    });
  try {
    return await conversation(ask);
  } finally {
    socket.close();
  }
}
