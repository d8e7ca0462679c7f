import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Feed } from './feed.ts';

const keyChange = (n: number) => ({ keyId: `key_${n}`, projectId: 'prj' });

describe('a feed', () => {
  it('returns exactly the changes after a cursor, or null if some are no longer kept', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2_500 }), fc.nat({ max: 2_500 }), (before, after) => {
        const feed = new Feed();
        for (let n = 0; n < before; n++) feed.add(keyChange(n));
        const { cursor } = feed;
        for (let n = 0; n < after; n++) feed.add(keyChange(before + n));
        const missed = feed.since(cursor);
        if (after > 1_000) {
          expect(missed).toBeNull();
          return;
        }
        expect(missed!.map((each) => each.change)).toEqual(
          Array.from({ length: after }, (_, n) => keyChange(before + n)),
        );
        // Each change has a valid cursor.
        const first = missed![0];
        if (first) expect(feed.since(first.cursor)).toHaveLength(after - 1);
        expect(feed.since(feed.cursor)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('rejects a cursor of another feed, of a later position, or malformed', () => {
    const [feed, other] = [new Feed(), new Feed()];
    feed.add(keyChange(1));
    other.add(keyChange(1));
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
