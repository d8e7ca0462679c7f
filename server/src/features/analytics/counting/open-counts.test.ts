import { KEY_OUTCOMES } from '@keyward/rules/outcomes.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countRows, lastUseRows, sumOf } from '../journal/key-entries.ts';
import { packEntries, packedCount, unpackInto, WIDTH } from '../journal/packed-entries.ts';
import { KEY_COLUMNS, type UsageColumn } from '../outcomes.ts';
import { KEYS_PER_BATCH, type KeyCounts, OpenCounts } from './open-counts.ts';
import type { UsedKey } from './usage-counters.ts';

const MINUTE = Date.UTC(2030, 0, 1);

class Key implements UsedKey {
  readonly seq: number;
  readonly project: { readonly id: string };
  firstUsedAt: number | null;
  constructor(seq: number, project = 'prj_a', firstUsedAt: number | null = 1) {
    this.seq = seq;
    this.project = { id: project };
    this.firstUsedAt = firstUsedAt;
  }
}

function unpackEntries(bytes: Uint8Array): Uint32Array {
  const entries = new Uint32Array(packedCount(bytes) * WIDTH);
  expect(unpackInto(entries, 0, bytes)).toBe(entries.length);
  return entries;
}

const rowsOf = (parts: readonly KeyCounts[]) => countRows(sumOf(parts.map(({ keys }) => keys)));

describe('counting', () => {
  const uses = fc.array(
    fc.record({
      key: fc.nat(7),
      outcome: fc.constantFrom(...KEY_OUTCOMES),
      ms: fc.nat(59_999),
      count: fc.constantFrom(1, 1, 1, 65_535, 70_000),
      extraCost: fc.constantFrom(0, 0, 0, -1, 999_999, 2 ** 31, 2 ** 32, 2 ** 40 + 3),
      taken: fc.boolean(),
    }),
    { maxLength: 60 },
  );

  test('returns each count once for its key and its project, whenever counts are taken out', () => {
    fc.assert(
      fc.property(uses, (list) => {
        const open = new OpenCounts();
        // Two objects of one key, and keys of two projects.
        const keys = [1, 2, 3, 4, 5, 6, 7, 7].map(
          (seq) => new Key(seq, seq < 4 ? 'prj_a' : 'prj_b'),
        );
        const parts: KeyCounts[] = [];
        const byKey = new Map<number, number[]>();
        const byProject = new Map<string, number[]>();
        const add = (
          sums: Map<unknown, number[]>,
          name: unknown,
          column: Exclude<UsageColumn, 'unknown' | 'malformed'>,
          n: number,
        ) => {
          const sum = sums.get(name) ?? KEY_COLUMNS.map(() => 0);
          sum[KEY_COLUMNS.indexOf(column)]! += n;
          sums.set(name, sum);
        };
        for (const { key, outcome, ms, count, extraCost, taken } of list) {
          open.count(keys[key]!, outcome, ms, count, count + extraCost);
          for (const [sums, name] of [
            [byKey, keys[key]!.seq],
            [byProject, keys[key]!.project.id],
          ] as const) {
            add(sums, name, outcome, count);
            // Refused requests cost nothing.
            if (outcome === 'valid') add(sums, name, 'extra_cost', extraCost);
          }
          if (taken) parts.push(...open.take(MINUTE));
        }
        parts.push(...open.take(MINUTE));
        expect(open.size).toBe(0);
        expect(rowsOf(parts)).toEqual(
          [...byKey].toSorted(([a], [b]) => a - b).map(([seq, counts]) => [seq, ...counts]),
        );
        const countsByProject = new Map<string, number[]>();
        for (const { projectId, counts } of parts.flatMap(({ projects }) => projects))
          KEY_COLUMNS.forEach((column, n) => {
            add(countsByProject, projectId, column, counts[n]!);
          });
        expect(countsByProject).toEqual(byProject);
      }),
    );
  });

  test('records first and last use of keys and projects, from valid uses only', () => {
    const open = new OpenCounts();
    const [fresh, known, refused] = [
      new Key(1, 'prj_a', null),
      new Key(2, 'prj_a'),
      new Key(3, 'prj_b', null),
    ];
    open.count(known, 'valid', 300);
    open.count(fresh, 'revoked', 350);
    open.count(fresh, 'valid', 400);
    open.count(fresh, 'valid', 900);
    open.count(refused, 'expired', 950);
    const [counts, ...more] = open.take(MINUTE);
    expect(more).toEqual([]);
    expect(counts.firstUses).toEqual([{ seq: 1, usedAt: MINUTE + 400 }]);
    expect(counts.firstUsed).toEqual([fresh]);
    expect(counts.projects).toEqual([
      {
        projectId: 'prj_a',
        counts: KEY_COLUMNS.map((each) => ({ valid: 3, revoked: 1 })[each as string] ?? 0),
        firstUsedAt: MINUTE + 300,
        lastUsedAt: MINUTE + 900,
      },
      {
        projectId: 'prj_b',
        counts: KEY_COLUMNS.map((each) => (each === 'expired' ? 1 : 0)),
        firstUsedAt: null,
        lastUsedAt: null,
      },
    ]);
    expect(lastUseRows(sumOf([counts.keys]), MINUTE)).toEqual([
      [1, MINUTE + 900],
      [2, MINUTE + 300],
    ]);
  });

  test('counts a use of cost 0 as valid, but neither as first nor as last use', () => {
    const open = new OpenCounts();
    const [checked, used] = [new Key(1, 'prj_a', null), new Key(2, 'prj_b', null)];
    open.count(checked, 'valid', 300, 1, 0);
    open.count(used, 'valid', 400, 1, 5);
    open.count(used, 'valid', 500, 1, 0);
    const [counts] = open.take(MINUTE);
    expect(counts.firstUses).toEqual([{ seq: 2, usedAt: MINUTE + 400 }]);
    expect(counts.projects.map(({ firstUsedAt, lastUsedAt }) => [firstUsedAt, lastUsedAt])).toEqual(
      [
        [null, null],
        [MINUTE + 400, MINUTE + 400],
      ],
    );
    const entries = sumOf([counts.keys]);
    expect(lastUseRows(entries, MINUTE)).toEqual([[2, MINUTE + 400]]);
    expect(countRows(entries).map((row) => [row[1], row.at(-1)])).toEqual([
      [1, -1],
      [2, 3],
    ]);
  });

  test('splits more keys than fit in a batch into parts, each with its own projects and first uses', () => {
    const open = new OpenCounts();
    const total = 2 * KEYS_PER_BATCH + 5;
    for (let seq = 1; seq <= total; seq++)
      open.count(new Key(seq, 'prj_a', seq % 1000 === 0 ? null : 1), 'valid', 7);
    const parts = open.take(MINUTE);
    expect(parts.map(({ keys }) => packedCount(keys))).toEqual([KEYS_PER_BATCH, KEYS_PER_BATCH, 5]);
    expect(parts.map(({ projects }) => projects[0]!.counts[0])).toEqual([
      KEYS_PER_BATCH,
      KEYS_PER_BATCH,
      5,
    ]);
    expect(parts.map(({ firstUses }) => firstUses.length)).toEqual([8, 8, 0]);
    expect(open.take(MINUTE).map(({ keys }) => packedCount(keys))).toEqual([0]);
  });
});

describe('packing', () => {
  const word = fc.constantFrom(0, 0, 0, 1, 2, 65_535, 65_536, 0xffff_fffe);
  const entry = fc
    .tuple(
      fc.integer({ min: 1, max: 0xffff_fffd }),
      fc.nat(60_000),
      fc.tuple(...KEY_OUTCOMES.map(() => word)),
      fc.tuple(word, word),
    )
    .map(([seq, lastUse, counts, extraCost]) => [seq, lastUse, ...counts, ...extraCost]);

  test('loses nothing, and takes two words for a key with few uses, all valid and of cost 1', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), (list) => {
        const packed = packEntries(Uint32Array.from(list.flat()));
        const unpacked = unpackEntries(packed);
        const found = Array.from({ length: unpacked.length / WIDTH }, (_, n) => [
          ...unpacked.subarray(n * WIDTH, (n + 1) * WIDTH),
        ]);
        const isShort = ([, , valid, ...others]: number[]) =>
          valid! <= 65_535 && others.every((count) => count === 0);
        expect(found).toEqual([...list.filter(isShort), ...list.filter((each) => !isShort(each))]);
        expect(packedCount(packed)).toBe(list.length);
        const shorts = list.filter(isShort).length;
        expect(packed.length).toBe(8 + 8 * shorts + 4 * WIDTH * (list.length - shorts));
      }),
    );
  });

  test('reads entries at any offset of a buffer', () => {
    const packed = packEntries(Uint32Array.from({ length: 2 * WIDTH }, (_, n) => n + 1));
    const block = new Uint8Array(packed.length + 3);
    block.set(packed, 3);
    expect(unpackEntries(block.subarray(3))).toEqual(unpackEntries(packed));
  });

  test('reads the older format without costs', () => {
    const long = [5, 31, 4, 0, 0, 0, 1, 0, 0, 0, 2];
    const old = Uint32Array.of(0xffff_fffe, 1, 8, (4 << 16) | 31, ...long);
    const zeros = new Array(WIDTH - 3).fill(0);
    expect([...unpackEntries(new Uint8Array(old.buffer))]).toEqual([
      ...[8, 31, 4, ...zeros],
      ...[...long, 0, 0],
    ]);
  });

  test.each([
    ['with short entries', [0xffff_ffff, 1, 8, (4 << 16) | 31]],
    ['without short entries', []],
  ])('reads the older format of five outcomes, %s', (_, head) => {
    const old = Uint32Array.of(...head, 5, 0, 0, 2, 0, 0, 0, 9, 31, 4, 0, 0, 0, 1);
    const entry = (...words: number[]) => [...words, ...new Array(WIDTH - words.length).fill(0)];
    expect([...unpackEntries(new Uint8Array(old.buffer))]).toEqual([
      ...(head.length === 0 ? [] : entry(8, 31, 4)),
      ...entry(5, 0, 0, 2),
      ...entry(9, 31, 4, 0, 0, 0, 1),
    ]);
  });
});
