import { describe, expect, it } from 'vitest';
import { type Cacheable, CoherentCache } from './coherent-cache.ts';

interface Entry extends Cacheable {
  stale: boolean;
}

const entryOf = (id: string, bytes = 100): Entry => ({ id, bytes, stale: false });

/** Reads that answer when the test says so, in the order it says. */
function heldReads() {
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
  it('is shared by everyone who misses meanwhile, and held afterwards', async () => {
    const cache = newCache();
    const reads = heldReads();
    const waiting = [1, 2, 3].map(() => cache.fill('place', 'hash', reads.load));
    expect(reads.count()).toBe(1);
    const entry = entryOf('a');
    await reads.answer(0, entry);
    expect(await Promise.all(waiting)).toEqual([entry, entry, entry]);
    expect(cache.get('place')).toBe(entry);
    expect([cache.hits, cache.misses]).toEqual([1, 1]);
  });

  it('is not shared with another place that looks for the same hash', async () => {
    const cache = newCache();
    const reads = heldReads();
    const mine = cache.fill('my place', 'hash', reads.load);
    const theirs = cache.fill('their place', 'hash', reads.load);
    expect(reads.count()).toBe(2);
    await reads.answer(0, entryOf('mine'));
    await reads.answer(1, entryOf('theirs'));
    expect((await mine)?.id).toBe('mine');
    expect((await theirs)?.id).toBe('theirs');
    expect(cache.get('their place')?.id).toBe('theirs');
  });

  it('that finds nothing leaves nothing behind', async () => {
    const cache = newCache();
    const reads = heldReads();
    const answer = cache.fill('place', 'hash', reads.load);
    await reads.answer(0, null);
    expect(await answer).toBeNull();
    expect([cache.size, cache.bytes]).toEqual([0, 0]);
    void cache.fill('place', 'hash', reads.load);
    expect(reads.count()).toBe(2);
  });

  it('that fails tells everyone who waits, and the next one reads anew', async () => {
    const cache = newCache();
    const reads = heldReads();
    const waiting = [1, 2].map(() => cache.fill('place', 'hash', reads.load));
    const failures = Promise.allSettled(waiting);
    await reads.fail(0, new Error('storage away'));
    expect((await failures).map((result) => result.status)).toEqual(['rejected', 'rejected']);
    void cache.fill('place', 'hash', reads.load);
    expect(reads.count()).toBe(2);
  });
});

describe('a change', () => {
  it('drops what is held, by its id', async () => {
    const cache = newCache();
    await cache.fill('place', 'hash', async () => entryOf('a'));
    await cache.fill('other', 'other hash', async () => entryOf('b'));
    cache.drop('a', 'hash');
    expect(cache.get('place')).toBeUndefined();
    expect(cache.get('other')?.id).toBe('b');
    expect([cache.size, cache.bytes]).toEqual([1, 100]);
  });

  it('makes a fill under way read again, and keep only what it read last', async () => {
    const cache = newCache();
    const reads = heldReads();
    const answer = cache.fill('place', 'hash', reads.load);
    cache.drop('a', 'hash');
    const before = entryOf('a');
    await reads.answer(0, before);
    expect(cache.get('place')).toBeUndefined();
    expect(reads.count()).toBe(2);
    const after = entryOf('a');
    await reads.answer(1, after);
    expect(await answer).toBe(after);
    expect(cache.get('place')).toBe(after);
  });

  it('keeps later callers out of the fill it overtook, which is not installed over theirs', async () => {
    const cache = newCache();
    const reads = heldReads();
    const early = cache.fill('place', 'hash', reads.load);
    cache.drop('a', 'hash');
    const late = cache.fill('place', 'hash', reads.load);
    expect(reads.count()).toBe(2);
    const after = entryOf('a');
    await reads.answer(1, after);
    expect(await late).toBe(after);
    await reads.answer(0, entryOf('a'));
    await reads.answer(2, entryOf('a'));
    await early;
    expect(cache.get('place')).toBe(after);
  });

  it('marks the fills of every place that looks for its hash, and no others', async () => {
    const cache = newCache();
    const reads = heldReads();
    void cache.fill('one', 'hash', reads.load);
    void cache.fill('two', 'hash', reads.load);
    void cache.fill('three', 'other hash', reads.load);
    cache.drop('a', 'hash');
    for (const index of [0, 1, 2]) await reads.answer(index, entryOf(`${index}`));
    expect([cache.get('one'), cache.get('two')]).toEqual([undefined, undefined]);
    expect(cache.get('three')?.id).toBe('2');
  });

  it('after change after change, the fill answers and stays out of memory', async () => {
    const cache = newCache();
    const reads = heldReads();
    const answer = cache.fill('place', 'hash', reads.load);
    for (let read = 0; read < 5; read++) {
      cache.drop('a', 'hash');
      await reads.answer(read, entryOf('a'));
    }
    expect((await answer)?.id).toBe('a');
    expect(reads.count()).toBe(5);
    expect(cache.size).toBe(0);
  });

  it('of what entries were prepared from marks every fill, and what is stale is not served', async () => {
    const cache = newCache();
    const reads = heldReads();
    void cache.fill('place', 'hash', reads.load);
    cache.overtakeFills();
    await reads.answer(0, entryOf('a'));
    expect(cache.get('place')).toBeUndefined();
    const entry = entryOf('a');
    await reads.answer(1, entry);
    expect(cache.get('place')).toBe(entry);
    entry.stale = true;
    expect(cache.get('place')).toBeUndefined();
    const renewed = entryOf('a');
    await cache.fill('place', 'hash', async () => renewed);
    expect(cache.get('place')).toBe(renewed);
    expect([cache.size, cache.bytes]).toEqual([1, 100]);
  });

  it('an entry that is stale when it arrives answers once and is not held', async () => {
    const cache = newCache();
    const entry = { ...entryOf('a'), stale: true };
    expect(await cache.fill('place', 'hash', async () => entry)).toBe(entry);
    expect(cache.size).toBe(0);
  });

  it('clears everything, fills under way included', async () => {
    const cache = newCache();
    const reads = heldReads();
    await cache.fill('held', 'held hash', async () => entryOf('b'));
    void cache.fill('place', 'hash', reads.load);
    cache.clear();
    await reads.answer(0, entryOf('a'));
    expect([cache.get('held'), cache.get('place')]).toEqual([undefined, undefined]);
    expect(cache.bytes).toBe(0);
  });
});

describe('memory', () => {
  const fillOne = (cache: CoherentCache<Entry>, n: number) =>
    cache.fill(`place ${n}`, `hash ${n}`, async () => entryOf(`id ${n}`));

  it('stays within its budget whatever is asked for', async () => {
    const cache = newCache(10_000);
    for (let n = 0; n < 1_000; n++) {
      await fillOne(cache, n);
      expect(cache.bytes).toBeLessThanOrEqual(10_000 + 100);
      expect(cache.bytes).toBe(cache.size * 100);
    }
    expect(cache.size).toBeGreaterThanOrEqual(50);
    expect(cache.get('place 0')).toBeUndefined();
  });

  it('keeps what is used while the unused goes', async () => {
    const cache = newCache(10_000);
    for (let n = 0; n < 1_000; n++) {
      await fillOne(cache, n);
      expect(cache.get('place 0')?.id).toBe('id 0');
    }
    expect(cache.get('place 1')).toBeUndefined();
  });

  it('a change drops an entry from either generation', async () => {
    const cache = newCache(10_000);
    for (let n = 0; n < 60; n++) await fillOne(cache, n);
    for (const n of [0, 59]) {
      cache.drop(`id ${n}`, `hash ${n}`);
      expect(cache.get(`place ${n}`)).toBeUndefined();
    }
    expect([cache.size, cache.bytes]).toEqual([58, 5_800]);
  });
});
