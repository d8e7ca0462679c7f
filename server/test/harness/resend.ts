import { setTimeout as sleep } from 'node:timers/promises';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly code?: string } | undefined;
}

/**
 * Sends again what the server refused because it was overloaded, after the time it asks for. A slow
 * machine overloads a server with little; nothing of a refused request was done.
 */
export async function resend<T extends Answer>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503 || answer.body?.code !== 'overloaded') return answer;
    await sleep(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
  }
}
