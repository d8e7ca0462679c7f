import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LocalDecisions } from './local-decisions.ts';

const NOW = 1_700_000_000_000;
const SECOND_MS = 1_000;

it('does not subtract a returned lease from a later window', async () => {
  let now = NOW;
  let isConnected = true;
  const merged: number[] = [];
  const decisions = new LocalDecisions({
    nodes: () => 1,
    clock: () => now,
    isConnected: () => isConnected,
    merge: async (_, amount) => {
      merged.push(amount);
      return [0, amount, NOW + SECOND_MS, now];
    },
    raise: async () => [0, 0, 0, now],
  });
  const request = { id: 'lse_1', counter: 'a', limit: 100, ttlMs: SECOND_MS, amount: 10 };
  decisions.lease({ ...request, isSliding: false }, now);
  await nextTurn();
  isConnected = false;
  now += 900;
  expect(decisions.giveBack('lse_1', 'a', 10, now)).toBe(10);
  isConnected = true;
  now = NOW + SECOND_MS;
  decisions.counts.sendAll();
  expect(merged).toEqual([10]);
});
