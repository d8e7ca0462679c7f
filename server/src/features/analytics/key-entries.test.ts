import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countRows,
  EntryMerger,
  fromBytes,
  type KeyEntries,
  lastUseRows,
  takeEntries,
  toBytes,
} from './key-entries.ts';
import { UsedKey } from './used.ts';

const MINUTE = Date.UTC(2030, 0, 1);

class Key extends UsedKey {
  readonly seq: number;
  readonly projectId = 'prj';
  firstUsedAt = null;
  constructor(seq: number, valid: number, denied: number, offset: number) {
    super();
    this.seq = seq;
    this.validUses = valid;
    this.domainDeniedUses = denied;
    this.usedAtMs = offset;
  }
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

test('what is taken out of keys comes back as rows, and leaves the keys empty', () => {
  fc.assert(
    fc.property(keys, (list) => {
      const used = list.map((each) => new Key(...each));
      const entries = fromBytes(toBytes(takeEntries(used)));
      expect(countRows(entries)).toEqual(
        inOrder(list).map(([seq, valid, denied]) => [seq, valid, 0, 0, 0, denied]),
      );
      const uses = inOrder(list).filter(([, valid]) => valid > 0);
      expect(lastUseRows(entries, MINUTE)).toEqual(
        uses.map(([seq, , , offset]) => [seq, MINUTE + offset]),
      );
      for (const key of used) expect([key.validUses, key.domainDeniedUses]).toEqual([0, 0]);
    }),
  );
});

test('a key that was counted on two objects is told of once, with the later of its uses', () => {
  const entries = takeEntries([new Key(7, 2, 0, 900), new Key(3, 1, 0, 5), new Key(7, 1, 4, 300)]);
  expect(countRows(entries)).toEqual([
    [3, 1, 0, 0, 0, 0],
    [7, 3, 0, 0, 0, 4],
  ]);
  expect(lastUseRows(entries, MINUTE)).toEqual([
    [3, MINUTE + 5],
    [7, MINUTE + 900],
  ]);
});

test('merged a piece at a time, from any key on, nothing is lost or doubled', () => {
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
      const sources = batches.map((list) => takeEntries(list.map((each) => new Key(...each))));
      const merger = new EntryMerger(sources, afterSeq);
      const pieces: KeyEntries[] = [];
      while (!merger.isDone) pieces.push(merger.take(size));
      for (const piece of pieces) expect(countRows(piece).length).toBeLessThanOrEqual(size);
      const rows = pieces.flatMap(countRows);
      const sorted = [...expected].toSorted(([a], [b]) => a - b);
      expect(rows).toEqual(sorted.map(([seq, [valid, denied]]) => [seq, valid, 0, 0, 0, denied]));
      const uses = pieces.flatMap((piece) => lastUseRows(piece, MINUTE));
      expect(uses.map(([seq, at]) => [seq, at! - MINUTE + 1])).toEqual(
        sorted.filter(([, counts]) => counts[2]! > 0).map(([seq, counts]) => [seq, counts[2]]),
      );
    }),
  );
});
