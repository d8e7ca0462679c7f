import { expect, it } from 'vitest';
import { createIds } from '../kernel/ids.ts';
import { CODE_WORDS, encodeGroup, hashCode } from './group-code.ts';
import { WindowSegment } from './memory-segment.ts';

const NOW = Date.UTC(2030, 0, 1);
const SAME_HASH = 7;
const makeId = createIds();

const codeOf = (group: string): Uint32Array => {
  const code = new Uint32Array(CODE_WORDS);
  encodeGroup(group, code);
  return code;
};

const openOf = (segment: WindowSegment, time: number): string[] => {
  const groups: string[] = [];
  segment.forEachOpen(time, (group) => groups.push(group));
  return groups.sort();
};

it('tells ids apart that differ in one character and fall on the same slot', () => {
  const zero = '0'.repeat(26);
  const groups = [`key_${zero}`, `ak_${zero}`, `kez_${zero}`];
  for (let at = 0; at < 26; at += 1) groups.push(`key_${zero.slice(0, at)}1${zero.slice(at + 1)}`);
  const segment = new WindowSegment();
  for (const group of groups) {
    const slot = segment.slotOf(codeOf(group), hashCode(codeOf(group), 0), NOW);
    expect(segment.count(slot)).toBe(0);
    segment.open(slot, NOW + 1_000);
    segment.add(slot, 1);
  }
  expect(openOf(segment, NOW)).toEqual(groups.sort());

  const crowded = new WindowSegment();
  const five = groups.slice(-5);
  for (const group of five) crowded.open(crowded.slotOf(codeOf(group), SAME_HASH, NOW), NOW + 1);
  expect(openOf(crowded, NOW)).toEqual(five.sort());
});

it('compares every word of an id', () => {
  const base = `key_${'0'.repeat(26)}`;
  for (let at = 4; at < base.length; at += 1) {
    const segment = new WindowSegment();
    const other = `${base.slice(0, at)}1${base.slice(at + 1)}`;
    const slot = segment.slotOf(codeOf(base), SAME_HASH, NOW);
    segment.open(slot, NOW + 1);
    expect(segment.slotOf(codeOf(other), SAME_HASH, NOW)).not.toBe(slot);
  }
});

it('keeps every open window while it grows, those about to close too', () => {
  const segment = new WindowSegment();
  const groups = Array.from({ length: 5_000 }, () => makeId('key')).sort();
  for (const group of groups) {
    const code = codeOf(group);
    segment.open(segment.slotOf(code, hashCode(code, 0), NOW), NOW + 1);
  }
  expect(openOf(segment, NOW)).toEqual(groups);
  expect(openOf(segment, NOW + 1)).toEqual([]);
});

it('uses the place of a closed window again', () => {
  const segment = new WindowSegment();
  const closed = segment.slotOf(codeOf(makeId('key')), SAME_HASH, NOW);
  segment.open(closed, NOW + 1);
  segment.add(closed, 5);
  expect(segment.slotOf(codeOf(makeId('key')), SAME_HASH, NOW + 1)).toBe(closed);
  expect(segment.count(closed)).toBe(0);
  expect(segment.used).toBe(1);
});

it('stops counting rather than start again from 0', () => {
  const segment = new WindowSegment();
  const slot = segment.slotOf(codeOf(makeId('key')), SAME_HASH, NOW);
  segment.add(slot, 2 ** 32 - 2);
  expect(segment.add(slot, 1)).toBe(2 ** 32 - 1);
  expect(segment.add(slot, 1)).toBe(2 ** 32 - 1);
});
