import { describe, expect, it } from 'vitest';
import { type Cacheable, CoherentCache } from './coherent-cache.ts';

interface Entry extends Cacheable {
  stale: boolean;
}

const entryOf = (id: string, bytes = 100): Entry => ({ id, bytes, stale: false });

/** Reads that the test completes in the order it chooses. */
function controlledReads() {
  const reads: PromiseWithResolvers<Entry | null>[] = [];
  return {
    load: () => {
      const read = Promise.withResolvers<Entry | null>();
      reads.push(read);
      return read.promise;
    },
    count: () => reads.length,
    async answer(index: number, entry: Entry | null) {
      reads[index]!.resolve(entry);
      await settled();
    },
    async fail(index: number, error: Error) {
      reads[index]!.reject(error);
      await settled();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

const newCache = (budget = 1_000_000) => new CoherentCache<Entry>(budget);

describe('a fill', () => {
  it('is shared by concurrent misses, and cached afterwards', async () => {
    const cache = newCache();
    const reads = controlledReads();
    const waiting = [1, 2, 3].map(() => cache.fill('key', 'hash', reads.load));
    expect(reads.count()).toBe(1);
    const entry = entryOf('a');
    await reads.answer(0, entry);
    expect(await Promise.all(waiting)).toEqual([entry, entry, entry]);
    expect(cache.get('key')).toBe(entry);
    expect([cache.hits, cache.misses]).toEqual([1, 1]);
  });

  it('is not shared with another cache key that has the same hash', async () => {
    const cache = newCache();
    const reads = controlledReads();
    const mine = cache.fill('my key', 'hash', reads.load);
    const theirs = cache.fill('their key', 'hash', reads.load);
    expect(reads.count()).toBe(2);
    await reads.answer(0, entryOf('mine'));
    await reads.answer(1, entryOf('theirs'));
    expect((await mine)?.id).toBe('mine');
    expect((await theirs)?.id).toBe('theirs');
    expect(cache.get('their key')?.id).toBe('theirs');
  });

  it('that finds no row caches nothing', async () => {
    const cache = newCache();
    const reads = controlledReads();
    const answer = cache.fill('key', 'hash', reads.load);
    await reads.answer(0, null);
    expect(await answer).toBeNull();
    expect([cache.size, cache.bytes]).toEqual([0, 0]);
    void cache.fill('key', 'hash', reads.load);
    expect(reads.count()).toBe(2);
  });

  it('that fails rejects all waiters, and the next miss reads again', async () => {
    const cache = newCache();
    const reads = controlledReads();
    const waiting = [1, 2].map(() => cache.fill('key', 'hash', reads.load));
    const failures = Promise.allSettled(waiting);
    await reads.fail(0, new Error('storage unavailable'));
    expect((await failures).map((result) => result.status)).toEqual(['rejected', 'rejected']);
    void cache.fill('key', 'hash', reads.load);
    expect(reads.count()).toBe(2);
  });
});

describe('a change', () => {
  it('removes the cached entry by its id', async () => {
    const cache = newCache();
    await cache.fill('key', 'hash', async () => entryOf('a'));
    await cache.fill('other', 'other hash', async () => entryOf('b'));
    cache.drop('a', 'hash');
    expect(cache.get('key')).toBeUndefined();
    expect(cache.get('other')?.id).toBe('b');
    expect([cache.size, cache.bytes]).toEqual([1, 100]);
  });

  it('makes a running fill read again, and cache only the last result', async () => {
    const cache = newCache();
    const reads = controlledReads();
    const answer = cache.fill('key', 'hash', reads.load);
    cache.drop('a', 'hash');
    const before = entryOf('a');
    await reads.answer(0, before);
    expect(cache.get('key')).toBeUndefined();
    expect(reads.count()).toBe(2);
    const after = entryOf('a');
    await reads.answer(1, after);
    expect(await answer).toBe(after);
    expect(cache.get('key')).toBe(after);
  });

  it('makes later misses start a second fill, and the first does not replace its result', async () => {
    const cache = newCache();
    const reads = controlledReads();
    const early = cache.fill('key', 'hash', reads.load);
    cache.drop('a', 'hash');
    const late = cache.fill('key', 'hash', reads.load);
    expect(reads.count()).toBe(2);
    const after = entryOf('a');
    await reads.answer(1, after);
    expect(await late).toBe(after);
    await reads.answer(0, entryOf('a'));
    await reads.answer(2, entryOf('a'));
    await early;
    expect(cache.get('key')).toBe(after);
  });

  it('invalidates the fills of every cache key that has its hash, and no other fills', async () => {
    const cache = newCache();
    const reads = controlledReads();
    void cache.fill('one', 'hash', reads.load);
    void cache.fill('two', 'hash', reads.load);
    void cache.fill('three', 'other hash', reads.load);
    cache.drop('a', 'hash');
    for (const index of [0, 1, 2]) await reads.answer(index, entryOf(`${index}`));
    expect([cache.get('one'), cache.get('two')]).toEqual([undefined, undefined]);
    expect(cache.get('three')?.id).toBe('2');
  });

  it('during every read makes the fill return an uncached result after five reads', async () => {
    const cache = newCache();
    const reads = controlledReads();
    const answer = cache.fill('key', 'hash', reads.load);
    for (let read = 0; read < 5; read++) {
      cache.drop('a', 'hash');
      await reads.answer(read, entryOf('a'));
    }
    expect((await answer)?.id).toBe('a');
    expect(reads.count()).toBe(5);
    expect(cache.size).toBe(0);
  });

  it('of a shared object invalidates every fill, and entries marked stale are not served', async () => {
    const cache = newCache();
    const reads = controlledReads();
    void cache.fill('key', 'hash', reads.load);
    cache.invalidateFills();
    await reads.answer(0, entryOf('a'));
    expect(cache.get('key')).toBeUndefined();
    const entry = entryOf('a');
    await reads.answer(1, entry);
    expect(cache.get('key')).toBe(entry);
    entry.stale = true;
    expect(cache.get('key')).toBeUndefined();
    const renewed = entryOf('a');
    await cache.fill('key', 'hash', async () => renewed);
    expect(cache.get('key')).toBe(renewed);
    expect([cache.size, cache.bytes]).toEqual([1, 100]);
  });

  it('that makes an entry stale before it arrives keeps the entry out of the cache', async () => {
    const cache = newCache();
    const entry = { ...entryOf('a'), stale: true };
    expect(await cache.fill('key', 'hash', async () => entry)).toBe(entry);
    expect(cache.size).toBe(0);
  });

  it('of everything clears the cache and invalidates running fills', async () => {
    const cache = newCache();
    const reads = controlledReads();
    await cache.fill('cached', 'cached hash', async () => entryOf('b'));
    void cache.fill('key', 'hash', reads.load);
    cache.clear();
    await reads.answer(0, entryOf('a'));
    expect([cache.get('cached'), cache.get('key')]).toEqual([undefined, undefined]);
    expect(cache.bytes).toBe(0);
  });
});

describe('memory', () => {
  const fillOne = (cache: CoherentCache<Entry>, n: number) =>
    cache.fill(`key ${n}`, `hash ${n}`, async () => entryOf(`id ${n}`));

  it('stays within its budget for any sequence of lookups', async () => {
    const cache = newCache(10_000);
    for (let n = 0; n < 1_000; n++) {
      await fillOne(cache, n);
      expect(cache.bytes).toBeLessThanOrEqual(10_000 + 100);
      expect(cache.bytes).toBe(cache.size * 100);
    }
    expect(cache.size).toBeGreaterThanOrEqual(50);
    expect(cache.get('key 0')).toBeUndefined();
  });

  it('keeps used entries and evicts unused ones', async () => {
    const cache = newCache(10_000);
    for (let n = 0; n < 1_000; n++) {
      await fillOne(cache, n);
      expect(cache.get('key 0')?.id).toBe('id 0');
    }
    expect(cache.get('key 1')).toBeUndefined();
  });

  it('is freed by a change, in either generation', async () => {
    const cache = newCache(10_000);
    for (let n = 0; n < 60; n++) await fillOne(cache, n);
    for (const n of [0, 59]) {
      cache.drop(`id ${n}`, `hash ${n}`);
      expect(cache.get(`key ${n}`)).toBeUndefined();
    }
    expect([cache.size, cache.bytes]).toEqual([58, 5_800]);
  });
});
