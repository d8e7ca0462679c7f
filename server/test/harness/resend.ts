import { setTimeout as sleep } from 'node:timers/promises';

interface Resendable {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly code?: string } | undefined;
}

/**
 * Repeats a request that the server refused as overloaded, after the time in `Retry-After`. On a slow
 * machine little load is enough for that, and a refused request has had no effect.
 */
export async function resend<T extends Resendable>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    const response = await send();
    if (response.status !== 503 || response.body?.code !== 'overloaded') return response;
    await sleep(Number(response.headers.get('retry-after') ?? 1) * 1_000);
  }
}
