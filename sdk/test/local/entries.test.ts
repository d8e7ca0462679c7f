import { describe, expect, it } from 'vitest';
import type { LeasedKey, ValidatedKey } from '../../src/generated/api-types.ts';
import { Entries } from '../../src/local/entries.ts';
import { Entry } from '../../src/local/entry.ts';

const entryOf = (id: string, projectId = 'prj_1', levels: Partial<LeasedKey> = {}): Entry =>
  new Entry(
    {
      record: { id, projectId, allowedDomains: null, rateLimitConfigs: null } as ValidatedKey,
      behindMs: 0,
      expiresInMs: null,
      lease: null,
      ...levels,
    } satisfies LeasedKey,
    0,
    null,
  );

describe('the cache of keys', () => {
  const removed: string[] = [];
  const fresh = (max: number): Entries => {
    removed.length = 0;
    return new Entries(max, (entry) => removed.push(entry.record.id));
  };

  it('finds a key by its value until the key or its project is dropped, and reports each removal once', () => {
    const entries = fresh(10);
    const [first, second] = [entryOf('key_1'), entryOf('key_2', 'prj_2')];
    entries.set('value 1', first);
    entries.set('value 2', second);
    expect([entries.get('value 1'), entries.get('value 2')]).toEqual([first, second]);
    expect(entries.get('value 3')).toBeUndefined();
    entries.dropKey('key_1');
    entries.dropKey('key_1');
    expect(entries.get('value 1')).toBeUndefined();
    expect(first.isDropped).toBe(true);
    entries.dropGroup('prj_2');
    expect(entries.get('value 2')).toBeUndefined();
    expect(entries.size).toBe(0);
    expect(removed).toEqual(['key_1', 'key_2']);
  });

  it('drops the keys of a plan or customer, and no others', () => {
    const entries = fresh(10);
    const levels = [
      { planId: 'pln_1' },
      { planId: 'pln_1', customer: 'cst_1' },
      { customer: 'cst_1' },
      {},
      { planId: 'pln_2' },
      { planId: 'pln_2' },
      { planId: 'pln_1' },
    ];
    for (const [n, each] of levels.entries())
      entries.set(`value ${n}`, entryOf(`key_${n}`, 'prj_1', each));
    entries.dropGroup('pln_1');
    expect(removed).toEqual(['key_0', 'key_1', 'key_6']);
    entries.dropGroup('cst_1');
    entries.dropGroup('cst_1');
    entries.dropGroup('pln_3');
    expect(removed).toEqual(['key_0', 'key_1', 'key_6', 'key_2']);
    expect(entries.get('value 3')).toBeDefined();
    entries.dropGroup('prj_1');
    expect(entries.size).toBe(0);
  });

  it('forgets the groups of keys that it has evicted', () => {
    const entries = fresh(2);
    for (let n = 0; n < 4; n++) entries.set(`value ${n}`, entryOf(`key_${n}`));
    const before = removed.length;
    entries.dropGroup('prj_1');
    expect(removed.slice(before)).toEqual(['key_2', 'key_3']);
  });

  it('can cache a dropped key again, and clears everything', () => {
    const entries = fresh(10);
    entries.set('value', entryOf('key_1'));
    entries.dropKey('key_1');
    const again = entryOf('key_1');
    entries.set('value', again);
    expect(entries.get('value')).toBe(again);
    expect(entries.size).toBe(1);
    entries.clear();
    expect(entries.get('value')).toBeUndefined();
    expect(entries.size).toBe(0);
  });

  it('drops the old value when a key gets a new one', () => {
    const entries = fresh(10);
    entries.set('before', entryOf('key_1'));
    entries.set('after', entryOf('key_1'));
    expect(entries.get('before')).toBeUndefined();
    expect(entries.get('after')?.record.id).toBe('key_1');
  });

  it('drops the old key when its value gets another one', () => {
    const entries = fresh(10);
    entries.set('value', entryOf('key_1'));
    entries.set('value', entryOf('key_2'));
    expect(entries.get('value')?.record.id).toBe('key_2');
    expect(entries.size).toBe(1);
    expect(removed).toEqual(['key_1']);
    entries.dropKey('key_1');
    expect(entries.get('value')?.record.id).toBe('key_2');
  });

  it.each([0, 1, 4, 4.5])('with a maximum of %d evicts the key that was added first', (max) => {
    const entries = fresh(max);
    const bound = Math.max(1, Math.floor(max));
    for (let n = 0; n < 10; n++) {
      entries.set(`value ${n}`, entryOf(`key_${n}`));
      expect(entries.size).toBe(Math.min(n + 1, bound));
      expect(entries.get(`value ${n - bound}`)).toBeUndefined();
      for (let m = Math.max(0, n - bound + 1); m <= n; m++)
        expect(entries.get(`value ${m}`)?.record.id).toBe(`key_${m}`);
    }
    expect(removed).toEqual(Array.from({ length: 10 - bound }, (_, n) => `key_${n}`));
  });

  it('evicts a hundredth of a large cache at once', () => {
    const entries = fresh(300);
    for (let n = 0; n <= 300; n++) entries.set(`value ${n}`, entryOf(`key_${n}`));
    expect(removed).toEqual(['key_0', 'key_1', 'key_2']);
    expect(entries.size).toBe(298);
  });

  it('evicts nothing when a key of a full cache is added again, and treats it as new', () => {
    const entries = fresh(2);
    for (const n of [1, 2, 1]) entries.set(`value ${n}`, entryOf(`key_${n}`));
    expect(removed).toEqual(['key_1']);
    entries.set('value 3', entryOf('key_3'));
    expect(removed).toEqual(['key_1', 'key_2']);
    expect(entries.size).toBe(2);
  });
});
