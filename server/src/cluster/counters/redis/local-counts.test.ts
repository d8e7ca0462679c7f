import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LocalCounts } from './local-counts.ts';
import type { Grant } from './windows.ts';

const NOW = 1_700_000_000_000;
const SENT_MAX = 1_000;
const count = (counter: string, amount = 1) => ({
  ...{ counter, amount, resetAt: NOW + 60_000, slidingMs: 0 },
});
const GRANT: Grant = [0, 1, NOW, NOW];

/** Redis replies to each count when the test says so. */
function start(isConnected: boolean) {
  const world = { isConnected };
  const sent: {
    kind: 'merge' | 'raise';
    counter: string;
    amount: number;
    reply: PromiseWithResolvers<Grant>;
  }[] = [];
  const merged: string[] = [];
  const sendAs = (kind: 'merge' | 'raise') => (counter: string, amount: number) => {
    const reply = Promise.withResolvers<Grant>();
    sent.push({ kind, counter, amount, reply });
    return reply.promise;
  };
  const counts = new LocalCounts({
    clock: () => NOW,
    isConnected: () => world.isConnected,
    merge: sendAs('merge'),
    raise: sendAs('raise'),
    onMerged: ({ counter }) => merged.push(counter),
    onRaised: () => {},
  });
  return { world, sent, merged, counts };
}

it('sends the count of a counter before its check, and keeps the counts of other counters', () => {
  const { world, sent, counts } = start(false);
  counts.add(count('a', 2), NOW);
  counts.add(count('a', 3), NOW);
  counts.add(count('b'), NOW);
  world.isConnected = true;
  counts.sendAhead('a', NOW);
  counts.sendAhead('c', NOW);
  expect(sent).toMatchObject([{ counter: 'a', amount: 5 }]);
  expect(counts.size).toBe(1);
});

it('sends a limited number at once, and the rest when those are confirmed', async () => {
  const { sent, counts } = start(true);
  for (let n = 0; n < SENT_MAX + 2; n++) counts.add(count(`group ${n}`), NOW);
  expect([sent.length, counts.size]).toEqual([SENT_MAX, 2]);
  for (const { reply } of sent) reply.resolve(GRANT);
  await nextTurn();
  expect([sent.length, counts.size]).toEqual([SENT_MAX + 2, 0]);
});

it('keeps a count that could not be sent', async () => {
  const { sent, merged, counts } = start(true);
  counts.add(count('a', 4), NOW);
  sent[0]!.reply.reject(new Error('The connection is lost.'));
  await nextTurn();
  expect([counts.size, merged]).toEqual([1, []]);
  counts.sendAll();
  expect(sent[1]).toMatchObject({ counter: 'a', amount: 4 });
});

it('restores a count in a new master once, before anything is added to it', async () => {
  const { world, sent, counts } = start(false);
  counts.add(count('a', 2), NOW);
  counts.add(count('b', 3), NOW);
  counts.restoreCounts([count('a', 40), count('b', 50), count('c', 60)]);
  counts.sendAll();
  expect([sent.length, counts.size]).toEqual([0, 5]);
  world.isConnected = true;
  counts.sendAhead('b', NOW);
  counts.sendAll();
  const seen = () => sent.map(({ kind, counter, amount }) => [kind, counter, amount]);
  expect(seen()).toEqual([
    ['raise', 'b', 50],
    ['merge', 'b', 3],
    ['raise', 'a', 40],
    ['raise', 'c', 60],
    ['merge', 'a', 2],
  ]);
  for (const { reply } of sent) reply.resolve(GRANT);
  await nextTurn();
  expect([sent.length, counts.size]).toEqual([5, 0]);
});

it('is settled when all counts that were sent are confirmed or lost', async () => {
  const { sent, merged, counts } = start(true);
  counts.add(count('a'), NOW);
  let isSettled = false;
  const settled = counts.settled().then(() => {
    isSettled = true;
  });
  await nextTurn();
  expect(isSettled).toBe(false);
  sent[0]!.reply.resolve(GRANT);
  await settled;
  expect(merged).toEqual(['a']);
});
