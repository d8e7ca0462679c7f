import type { TestApp } from '../../server/test/harness/test-app.ts';
import type { SeededKey } from './seed-story.ts';

const HOUR_MS = 3_600_000;
const BATCH = 1000;

/** Usage for each hour until `now`, with a daily curve; the same in every screenshot. */
export async function seedUsage(
  { client, clock }: TestApp,
  keys: readonly SeededKey[],
  now: number,
): Promise<void> {
  for (let hour = 0; clock.now < now; hour++) {
    const calls = keys.flatMap((key, index) =>
      new Array<string>(callsOf(key, index, clock.now, hour)).fill(key.value),
    );
    for (let at = 0; at < calls.length; at += BATCH)
      await client.post('/api-keys/auth', { keys: calls.slice(at, at + BATCH) });
    clock.now = Math.min(now, clock.now + HOUR_MS);
  }
}

function callsOf({ hourly }: SeededKey, index: number, at: number, hour: number): number {
  const hourOfDay = (at % (24 * HOUR_MS)) / HOUR_MS;
  const day = 0.35 + 0.65 * Math.max(0, Math.sin(((hourOfDay - 5) / 24) * 2 * Math.PI));
  // A deterministic variation for each key and hour.
  const variation = 0.85 + 0.3 * (((hour * 7 + index * 13) % 11) / 10);
  return Math.round(hourly * day * variation);
}
