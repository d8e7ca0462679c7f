import { once } from 'node:events';
import { freePorts } from './keyward-server.ts';

/**
 * Asks a server to collect its garbage, through Node's inspector: so the memory that is measured
 * is what it holds, and the server itself needs no door for benchmarks.
 */
export async function inspectorFlags(): Promise<{ flags: string[]; port: number }> {
  const [port] = await freePorts();
  return { flags: [`--inspect=127.0.0.1:${port}`, '--inspect-publish-uid=http'], port };
}

export async function collectGarbage(inspectorPort: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${inspectorPort}/json/list`);
  const [target] = (await answer.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target!.webSocketDebuggerUrl);
  await once(socket, 'open');
  for (const id of [1, 2]) {
    socket.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }));
    await once(socket, 'message');
  }
  socket.close();
}
