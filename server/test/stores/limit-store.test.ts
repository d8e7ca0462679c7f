import { afterEach, beforeEach, expect, it } from 'vitest';
import type { OpenWindow } from '../../src/cluster/counters/counters.ts';
import { MemoryCounters } from '../../src/cluster/counters/memory.ts';
import {
  deleteEndedWindows,
  loadWindows,
  saveChangedWindows,
  saveWindows,
} from '../../src/features/rate-limits/store.ts';
import { createIds } from '../../src/kernel/ids.ts';
import type { Storage } from '../../src/storage/index.ts';
import { openTestStorage } from '../harness/test-storage.ts';

const NOW = Date.UTC(2030, 0, 1);
const makeId = createIds();
let storage: Storage;
let dispose: () => Promise<void>;

beforeEach(async () => {
  ({ storage, dispose } = await openTestStorage());
});

afterEach(() => dispose());

const stored = async (): Promise<number> =>
  (await storage.read.selectFrom('rate_windows').select('limit_group').execute()).length;

const sorted = (windows: Iterable<OpenWindow>): OpenWindow[] =>
  [...windows].sort((a, b) => (a.counter < b.counter ? -1 : 1));

it('restores every open window after a restart, and deletes all rows', async () => {
  const before = new MemoryCounters();
  for (let made = 0; made < 12_345; made += 1) {
    before.take(makeId(made % 2 ? 'key' : 'ak'), 5, 1_000 + made, NOW);
  }
  const later = NOW + 1_345;
  const open = sorted(before.entries(later));
  expect(open).toHaveLength(11_999);

  expect(await saveWindows(storage, before, later)).toBe(open.length);
  expect(await stored()).toBe(open.length);

  const after = new MemoryCounters();
  expect(await loadWindows(storage, after, later)).toBe(open.length);
  expect(sorted(after.entries(later))).toEqual(open);
  expect(await stored()).toBe(0);
});

it('restores sliding windows with the previous window', async () => {
  const limit = { limit: 10, ttlMs: 1_000, isSliding: true, isEnforced: true };
  const set = { group: 'key_a', limits: [{ ...limit, counter: 'key_a:second' }] };
  const before = new MemoryCounters();
  before.takeAll(set, 8, NOW);
  const later = NOW + 1_250;
  before.takeAll(set, 1, later);
  expect(await saveWindows(storage, before, later)).toBe(1);

  const after = new MemoryCounters();
  await loadWindows(storage, after, later);
  expect(sorted(after.entries(later))).toEqual(sorted(before.entries(later)));
  // 1, and three quarters of 8.
  expect(after.takeAll(set, 0, later).states[0]!.consumed).toBe(7);
});

it('does not restore a window that ended while the server was down', async () => {
  const before = new MemoryCounters();
  const group = makeId('key');
  before.take(group, 1, 1_000, NOW);
  await saveWindows(storage, before, NOW);

  const after = new MemoryCounters();
  await loadWindows(storage, after, NOW + 1_000);
  expect(after.size).toBe(0);
  expect(await stored()).toBe(0);
  expect(after.take(group, 1, 1_000, NOW + 1_000).allowed).toBe(true);
});

it('keeps the later count when windows are saved twice', async () => {
  const counters = new MemoryCounters();
  const group = makeId('key');
  counters.take(group, 5, 60_000, NOW);
  await saveWindows(storage, counters, NOW);
  counters.take(group, 5, 60_000, NOW);
  await saveWindows(storage, counters, NOW);

  const after = new MemoryCounters();
  await loadWindows(storage, after, NOW);
  expect(after.take(group, 5, 60_000, NOW)).toMatchObject({ consumed: 3, resetAt: NOW + 60_000 });
});

it('returns 0 if there are no windows', async () => {
  expect(await saveWindows(storage, new MemoryCounters(), NOW)).toBe(0);
  expect(await loadWindows(storage, new MemoryCounters(), NOW)).toBe(0);
});

it('loads each window once when several nodes start together', async () => {
  const before = new MemoryCounters();
  for (let made = 0; made < 12_000; made += 1) before.take(makeId('key'), 5, 60_000, NOW);
  await saveWindows(storage, before, NOW);
  const nodes = [1, 2, 3].map(() => new MemoryCounters());
  const loaded = await Promise.all(nodes.map((node) => loadWindows(storage, node, NOW)));
  expect(loaded.reduce((sum, count) => sum + count)).toBe(12_000);
  expect(sorted(nodes.flatMap((node) => [...node.entries(NOW)]))).toEqual(
    sorted(before.entries(NOW)),
  );
});

const HOUR_MS = 3_600_000;

it('saves long windows that changed, and only those', async () => {
  const counters = new MemoryCounters({ isSaved: true });
  const [month, other, minute] = [makeId('key'), makeId('key'), makeId('key')];
  counters.take(month, 5, 720 * HOUR_MS, NOW);
  counters.take(other, 5, HOUR_MS, NOW);
  counters.take(minute, 5, 60_000, NOW);
  expect(await saveChangedWindows(storage, counters, NOW)).toBe(2);
  expect(await saveChangedWindows(storage, counters, NOW)).toBe(0);
  counters.take(month, 5, 720 * HOUR_MS, NOW);
  expect(await saveChangedWindows(storage, counters, NOW)).toBe(1);

  const after = new MemoryCounters();
  expect(await loadWindows(storage, after, NOW, true)).toBe(2);
  expect(after.take(month, 5, 720 * HOUR_MS, NOW).consumed).toBe(3);
  expect(await stored()).toBe(2);
});

it('saves costs, leases and what is given back of leases', async () => {
  const counters = new MemoryCounters({ isSaved: true });
  const counter = makeId('key');
  const limit = { counter, limit: 100, ttlMs: HOUR_MS, isSliding: true, isEnforced: true };
  const consumed = async () => {
    expect(await saveChangedWindows(storage, counters, NOW)).toBe(1);
    const [row] = await storage.read.selectFrom('rate_windows').select('consumed').execute();
    return row!.consumed;
  };
  counters.takeAll({ group: counter, limits: [limit] }, 7, NOW);
  expect(await consumed()).toBe(7);
  counters.lease({ id: 'lease', ...limit, amount: 10 }, NOW);
  expect(await consumed()).toBe(17);
  counters.giveBack('lease', counter, 4, NOW);
  expect(await consumed()).toBe(13);
});

it('tries again to save windows that could not be saved', async () => {
  const counters = new MemoryCounters({ isSaved: true });
  counters.take(makeId('key'), 5, HOUR_MS, NOW);
  const broken = { ...storage, transaction: () => Promise.reject(new Error('disk full')) };
  await expect(saveChangedWindows(broken as Storage, counters, NOW)).rejects.toThrow('disk full');
  expect(await saveChangedWindows(storage, counters, NOW)).toBe(1);
});

it('deletes the rows of windows that have ended, page by page', async () => {
  const counters = new MemoryCounters();
  for (let made = 0; made < 6_000; made += 1)
    counters.take(`key_${String(made).padStart(5, '0')}`, 5, made % 2 ? HOUR_MS : 60_000, NOW);
  await saveWindows(storage, counters, NOW);
  const after = await deleteEndedWindows(storage, '', NOW + 60_000);
  expect(after).toBe('key_04999');
  expect(await deleteEndedWindows(storage, after, NOW + 60_000)).toBe('');
  expect(await stored()).toBe(3_000);
});

it('keeps the row of a sliding window until nothing of it counts', async () => {
  const limit = { limit: 10, ttlMs: 2 * HOUR_MS, isSliding: true, isEnforced: true };
  const counters = new MemoryCounters({ isSaved: true });
  counters.takeAll({ group: 'key_a', limits: [{ ...limit, counter: 'key_a' }] }, 8, NOW);
  await saveChangedWindows(storage, counters, NOW);
  await deleteEndedWindows(storage, '', NOW + 3 * HOUR_MS);
  expect(await stored()).toBe(1);
  await deleteEndedWindows(storage, '', NOW + 4 * HOUR_MS);
  expect(await stored()).toBe(0);
});
