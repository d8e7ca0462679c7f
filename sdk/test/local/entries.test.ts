import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ValidatedKey } from '../../src/generated/api-types.ts';
import { Entries } from '../../src/local/entries.ts';
import { Entry } from '../../src/local/entry.ts';
import { RecentValues } from '../../src/local/recent-values.ts';

const entryOf = (id: string, projectId = 'prj_1'): Entry =>
  new Entry(
    { id, projectId, allowedDomains: null } as ValidatedKey,
    Number.POSITIVE_INFINITY,
    null,
  );

describe.each([0, 1, 100])('what is remembered, %i values in clear', (valuesInClear) => {
  const forgotten: string[] = [];
  const fresh = (max: number): Entries => {
    forgotten.length = 0;
    return new Entries(max, valuesInClear, (entry) => forgotten.push(entry.record.id));
  };

  it('is found by its value until its key or its project is dropped, each told of once', () => {
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
    entries.dropProject('prj_2');
    expect(entries.get('value 2')).toBeUndefined();
    expect(entries.size).toBe(0);
    expect(forgotten).toEqual(['key_1', 'key_2']);
  });

  it('comes back after it was dropped, and goes again when all is cleared', () => {
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

  it('goes when its key has another value', () => {
    const entries = fresh(10);
    entries.set('before', entryOf('key_1'));
    entries.set('after', entryOf('key_1'));
    expect(entries.get('before')).toBeUndefined();
    expect(entries.get('after')?.record.id).toBe('key_1');
  });

  it('is forgotten by halves, what was used since the last turn stays', () => {
    const entries = fresh(4);
    for (const n of [1, 2, 3]) entries.set(`value ${n}`, entryOf(`key_${n}`));
    expect(entries.get('value 1')?.record.id).toBe('key_1');
    for (const n of [4, 5]) entries.set(`value ${n}`, entryOf(`key_${n}`));
    expect(entries.get('value 2')).toBeUndefined();
    expect(forgotten).toEqual(['key_2']);
    expect(entries.size).toBe(4);
    expect(entries.get('value 1')?.record.id).toBe('key_1');
    expect(forgotten).toEqual(['key_2', 'key_3']);
  });

  it('does not come back from the older half after it was dropped in the younger', () => {
    const entries = fresh(4);
    for (const n of [1, 2, 3]) entries.set(`value ${n}`, entryOf(`key_${n}`));
    entries.get('value 1');
    entries.dropKey('key_1');
    expect(entries.get('value 1')).toBeUndefined();
  });
});

it('values are in clear for a second, up to a number of them', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const recent = new RecentValues(2);
  for (const n of [1, 2, 3]) recent.add(`value ${n}`, entryOf(`key_${n}`));
  expect(recent.size).toBe(2);
  expect(recent.get('value 1')?.record.id).toBe('key_1');
  expect(recent.get('value 3')).toBeUndefined();
  vi.advanceTimersByTime(999);
  recent.get('value 1');
  vi.advanceTimersByTime(1);
  expect(recent.size).toBe(0);
  expect(recent.get('value 1')).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

it('the value that came last has the key it was last given', () => {
  const recent = new RecentValues(2);
  recent.add('value 1', entryOf('key_1'));
  recent.add('value 2', entryOf('key_2'));
  expect(recent.get('value 1')?.record.id).toBe('key_1');
  recent.clear();
  recent.add('value 1', entryOf('key_3'));
  expect(recent.get('value 1')?.record.id).toBe('key_3');
  expect(recent.get('value 2')).toBeUndefined();
  recent.clear();
});

it('what was forgotten is not found by its value in clear', () => {
  const entries = new Entries(2, 100, () => {});
  entries.set('value 1', entryOf('key_1'));
  expect(entries.get('value 1')?.record.id).toBe('key_1');
  entries.set('value 2', entryOf('key_2'));
  entries.set('value 3', entryOf('key_3'));
  expect(entries.get('value 1')).toBeUndefined();
});
