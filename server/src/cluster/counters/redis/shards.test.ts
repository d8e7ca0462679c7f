import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FAILURES_TO_OPEN } from './breaker.ts';
import { Shard, Shards } from './shards.ts';

const TIMEOUT_MS = 50;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('a shard is caught up half a second after its last fault', () => {
  const shard = new Shard(TIMEOUT_MS);
  expect([shard.isUsed, shard.isCaughtUp]).toEqual([true, false]);
  vi.advanceTimersByTime(500);
  expect(shard.isCaughtUp).toBe(true);
  shard.onFailure();
  expect([shard.isUsed, shard.isCaughtUp]).toEqual([true, false]);
  shard.onDisconnect();
  expect([shard.isUsed, shard.isCaughtUp]).toEqual([false, false]);
  vi.advanceTimersByTime(1_000);
  shard.onProbe(performance.now());
  expect([shard.isUsed, shard.isCaughtUp]).toEqual([true, false]);
});

it('a late reply to a probe does not close the breaker', () => {
  const shard = new Shard(TIMEOUT_MS);
  shard.onDisconnect();
  const sentAt = performance.now();
  vi.advanceTimersByTime(1_000);
  shard.onProbe(sentAt);
  expect(shard.isUsed).toBe(false);
  shard.onProbe(performance.now());
  expect(shard.isUsed).toBe(true);
});

function start() {
  const events: string[] = [];
  const world = { now: 1_000 };
  const shards = new Shards({
    clock: () => world.now,
    timeoutMs: TIMEOUT_MS,
    onUnavailable: (cause) => events.push(cause),
    onRestored: () => events.push('restored'),
  });
  for (const name of ['a', 'b']) shards.get(name);
  shards.onUp();
  return { shards, events, world };
}

it('losing one shard makes the counters not shared, and affects only its keys', () => {
  const { shards, events, world } = start();
  expect([shards.isShared, events]).toEqual([true, ['restored']]);
  world.now = 2_000;
  shards.onShardDown('a', new Error('closed'));
  expect([shards.isShared, shards.since]).toEqual([false, 2_000]);
  expect([shards.get('a').isUsed, shards.get('b').isUsed]).toEqual([false, true]);
  expect(events).toEqual(['restored', 'a: closed']);
  vi.advanceTimersByTime(1_000);
  shards.onProbe('a', performance.now());
  expect(shards.isShared).toBe(true);
});

it('a shard that has left the Cluster is ignored', () => {
  const { shards, events } = start();
  shards.onShardDown('a', new Error('closed'));
  shards.keep((name) => name === 'b');
  expect([shards.isShared, events.at(-1)]).toEqual([true, 'restored']);
});

it('failures open the breaker of their shard, and are reported once', () => {
  const { shards, events } = start();
  for (let n = 0; n < 2 * FAILURES_TO_OPEN; n++)
    shards.onFailure(shards.get('a'), new Error('no reply within 50 ms'));
  expect([shards.get('a').isUsed, shards.get('b').isUsed]).toEqual([false, true]);
  expect(events).toEqual(['restored', 'a: no reply within 50 ms']);
});
