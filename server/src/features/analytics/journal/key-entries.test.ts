import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COLUMN_INDEX, KEY_COLUMNS } from '../outcomes.ts';
import { countRows, EntryMerger, type KeyEntries, lastUseRows, sumOf } from './key-entries.ts';
import { packEntries, setExtraCost, WIDTH } from './packed-entries.ts';

const MINUTE = Date.UTC(2030, 0, 1);

/** Seq, valid uses, refusals for a domain, and when it was last used. */
type Counted = readonly [seq: number, valid: number, denied: number, offset: number];

/** Counts in the order of KEY_COLUMNS: the tests use only these. */
const countsOf = (valid: number, denied: number): number[] => {
  const counts = KEY_COLUMNS.map(() => 0);
  counts[COLUMN_INDEX.valid] = valid;
  counts[COLUMN_INDEX.domain_denied] = denied;
  counts[COLUMN_INDEX.extra_cost] = extraCost(valid, denied);
  return counts;
};

/** May be negative or exceed 32 bits. The extra cost of a sum is the sum of the extra costs. */
const extraCost = (valid: number, denied: number): number => valid * 2 ** 33 - denied * 5;

function packed(list: readonly Counted[]): Uint8Array {
  const entries = new Uint32Array(list.length * WIDTH);
  for (const [n, [seq, valid, denied, offset]] of list.entries()) {
    const counts = countsOf(valid, denied).slice(0, COLUMN_INDEX.extra_cost);
    entries.set([seq, valid > 0 ? offset + 1 : 0, ...counts], n * WIDTH);
    setExtraCost(entries, n * WIDTH, extraCost(valid, denied));
  }
  return packEntries(entries);
}

const small = fc.nat(3);
const keys = fc.uniqueArray(
  fc.tuple(fc.integer({ min: 1, max: 60 }), small, small, fc.nat(59_999)),
  {
    selector: ([seq]) => seq,
  },
);
const inOrder = <T extends readonly number[]>(list: readonly T[]) =>
  list.toSorted((a, b) => a[0]! - b[0]!);

test('returns the counts as rows, sorted by key', () => {
  fc.assert(
    fc.property(keys, (list) => {
      const entries = sumOf([packed(list)]);
      expect(countRows(entries)).toEqual(
        inOrder(list).map(([seq, valid, denied]) => [seq, ...countsOf(valid, denied)]),
      );
      const uses = inOrder(list).filter(([, valid]) => valid > 0);
      expect(lastUseRows(entries, MINUTE)).toEqual(
        uses.map(([seq, , , offset]) => [seq, MINUTE + offset]),
      );
    }),
  );
});

test('sums a key that was counted through two cached objects or in two batches, with its latest use', () => {
  const twice: Counted[] = [
    [7, 2, 0, 900],
    [3, 1, 0, 5],
    [7, 1, 1, 300],
  ];
  const entries = sumOf([packed(twice), packed([[7, 0, 3, 0]])]);
  expect(countRows(entries)).toEqual([
    [3, ...countsOf(1, 0)],
    [7, ...countsOf(3, 4)],
  ]);
  expect(lastUseRows(entries, MINUTE)).toEqual([
    [3, MINUTE + 5],
    [7, MINUTE + 900],
  ]);
});

test('neither loses nor doubles counts when merging in parts, from any key on', () => {
  const cases = fc.record({
    batches: fc.array(keys, { maxLength: 12 }),
    afterSeq: fc.nat(60),
    size: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(cases, ({ batches, afterSeq, size }) => {
      const expected = new Map<number, number[]>();
      for (const [seq, valid, denied, offset] of batches.flat()) {
        if (seq <= afterSeq) continue;
        const [counted = 0, refused = 0, last = 0] = expected.get(seq) ?? [];
        const used = valid > 0 ? offset + 1 : 0;
        expected.set(seq, [counted + valid, refused + denied, Math.max(last, used)]);
      }
      const sources = batches.map((list) => sumOf([packed(list)]));
      const merger = new EntryMerger(sources, afterSeq);
      const pieces: KeyEntries[] = [];
      while (!merger.isDone) pieces.push(merger.take(size));
      for (const piece of pieces) expect(countRows(piece).length).toBeLessThanOrEqual(size);
      const rows = pieces.flatMap(countRows);
      const sorted = [...expected].toSorted(([a], [b]) => a - b);
      expect(rows).toEqual(
        sorted.map(([seq, [valid, denied]]) => [seq, ...countsOf(valid!, denied!)]),
      );
      const uses = pieces.flatMap((piece) => lastUseRows(piece, MINUTE));
      expect(uses.map(([seq, at]) => [seq, at! - MINUTE + 1])).toEqual(
        sorted.filter(([, counts]) => counts[2]! > 0).map(([seq, counts]) => [seq, counts[2]]),
      );
    }),
  );
});
