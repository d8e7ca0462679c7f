import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Feed } from './feed.ts';

const told = (n: number) => ({ keyId: `key_${n}`, projectId: 'prj' });

describe('a feed', () => {
  it('tells exactly what came after any cursor it gave, or that it cannot', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2_500 }), fc.nat({ max: 2_500 }), (before, after) => {
        const feed = new Feed();
        for (let n = 0; n < before; n++) feed.add(told(n));
        const { cursor } = feed;
        for (let n = 0; n < after; n++) feed.add(told(before + n));
        const missed = feed.since(cursor);
        if (after > 1_000) {
          expect(missed).toBeNull();
          return;
        }
        expect(missed!.map((each) => each.told)).toEqual(
          Array.from({ length: after }, (_, n) => told(before + n)),
        );
        // Each of them is a cursor in its turn.
        const first = missed![0];
        if (first) expect(feed.since(first.cursor)).toHaveLength(after - 1);
        expect(feed.since(feed.cursor)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('knows no cursor of another feed, of the future, or made up', () => {
    const [feed, other] = [new Feed(), new Feed()];
    feed.add(told(1));
    other.add(told(1));
    const [name] = feed.cursor.split('.');
    for (const cursor of [
      other.cursor,
      `${name}.2`,
      `${name}.-1`,
      `${name}.`,
      `${name}`,
      '',
      '.1',
      `${name}.1e0`,
    ])
      expect(feed.since(cursor)).toBeNull();
  });
});
