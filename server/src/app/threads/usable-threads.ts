import { once } from 'node:events';
import { createServer } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';

/** As many threads as were asked for, or one where threads cannot listen on the same port. */
export async function usableThreads(wanted: number, log: FastifyBaseLogger): Promise<number> {
  if (wanted === 1 || (await canReusePort())) return wanted;
  log.warn({ wanted }, 'this system cannot share a port between threads: one thread answers');
  return 1;
}

async function canReusePort(): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen({ port: 0, host: '127.0.0.1', reusePort: true });
    await once(probe, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}
