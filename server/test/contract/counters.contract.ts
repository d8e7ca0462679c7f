import { describe, expect, it } from 'vitest';
import type { Counters } from '../../src/cluster/counters.ts';
import { createIds } from '../../src/kernel/ids.ts';

const makeId = createIds();

/** What every engine of counters must do. An engine that keeps its own time is given a true `now`. */
export function countersContract(engine: string, open: () => Counters | Promise<Counters>): void {
  describe(`counters: ${engine}`, () => {
    it('admits exactly N of 4N concurrent requests', async () => {
      const counters = await open();
      const group = makeId('key');
      const now = Date.now();
      const limit = 500;
      const all = await Promise.all(
        Array.from({ length: 4 * limit }, async () => counters.take(group, limit, 60_000, now)),
      );
      expect(all.filter(({ allowed }) => allowed)).toHaveLength(limit);
      expect(all.every(({ consumed }) => consumed <= limit)).toBe(true);
      expect(new Set(all.map(({ resetAt }) => resetAt)).size).toBe(1);
    });

    it('counts up in one window, and does not count what it refuses', async () => {
      const counters = await open();
      const group = makeId('key');
      const now = Date.now();
      const first = await counters.take(group, 2, 60_000, now);
      const second = await counters.take(group, 2, 60_000, now + 1);
      const third = await counters.take(group, 2, 60_000, now + 2);
      expect(first).toMatchObject({ allowed: true, consumed: 1 });
      expect(second).toEqual({ allowed: true, consumed: 2, resetAt: first.resetAt });
      expect(third).toEqual({ allowed: false, consumed: 2, resetAt: first.resetAt });
    });

    it('counts each group apart, whatever the prefix', async () => {
      const counters = await open();
      const key = makeId('key');
      const accessKey = `ak_${key.slice(4)}`;
      const now = Date.now();
      expect((await counters.take(key, 1, 60_000, now)).allowed).toBe(true);
      expect((await counters.take(accessKey, 1, 60_000, now)).allowed).toBe(true);
      expect((await counters.take(makeId('key'), 1, 60_000, now)).allowed).toBe(true);
      expect((await counters.take(key, 1, 60_000, now)).allowed).toBe(false);
      expect((await counters.take(accessKey, 1, 60_000, now)).allowed).toBe(false);
    });

    it('applies a changed limit at once, up and down', async () => {
      const counters = await open();
      const group = makeId('key');
      const now = Date.now();
      await counters.take(group, 3, 60_000, now);
      await counters.take(group, 3, 60_000, now);
      expect(await counters.take(group, 1, 60_000, now)).toMatchObject({
        allowed: false,
        consumed: 2,
      });
      expect(await counters.take(group, 3, 60_000, now)).toMatchObject({
        allowed: true,
        consumed: 3,
      });
    });

    it('applies a changed length from the next window on', async () => {
      const counters = await open();
      const group = makeId('key');
      const now = Date.now();
      const first = await counters.take(group, 5, 60_000, now);
      const shorter = await counters.take(group, 5, 1_000, now + 1);
      const longer = await counters.take(group, 5, 600_000, now + 2);
      expect(shorter).toEqual({ allowed: true, consumed: 2, resetAt: first.resetAt });
      expect(longer).toEqual({ allowed: true, consumed: 3, resetAt: first.resetAt });
    });
  });
}
