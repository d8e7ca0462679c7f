import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Counters } from '../../src/cluster/counters/counters.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { counterSetsContract } from './counter-sets.contract.ts';

const makeId = createIds();

/** Requirements for every engine of counters. An engine with its own clock gets the real `now`. */
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

    it('counts up within a window, and does not count refused requests', async () => {
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

    it('counts each group separately, whatever the kind of its id', async () => {
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

    it('applies a raised or lowered limit immediately', async () => {
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

    it('applies a changed window length from the next window on', async () => {
      const counters = await open();
      const group = makeId('key');
      const now = Date.now();
      const first = await counters.take(group, 5, 60_000, now);
      const shorter = await counters.take(group, 5, 1_000, now + 1);
      const longer = await counters.take(group, 5, 600_000, now + 2);
      expect(shorter).toEqual({ allowed: true, consumed: 2, resetAt: first.resetAt });
      expect(longer).toEqual({ allowed: true, consumed: 3, resetAt: first.resetAt });
    });

    counterSetsContract(open);

    describe('with leases', () => {
      const leaseOf = (counter: string, amount: number, limit = 10) => ({
        id: makeId('lse'),
        counter,
        limit,
        ttlMs: 60_000,
        isSliding: false,
        amount,
      });

      it('grants what is left, up to the requested amount, and counts it immediately', async () => {
        const counters = await open();
        const group = makeId('key');
        const now = Date.now();
        const first = await counters.lease(leaseOf(group, 7), now);
        expect(first).toMatchObject({ granted: 7, consumed: 7 });
        const { resetAt } = first;
        expect(await counters.take(group, 10, 60_000, now)).toEqual({
          allowed: true,
          consumed: 8,
          resetAt,
        });
        expect(await counters.lease(leaseOf(group, 7), now)).toMatchObject({
          granted: 2,
          consumed: 10,
          resetAt,
        });
        expect(await counters.lease(leaseOf(group, 1), now)).toMatchObject({
          granted: 0,
          consumed: 10,
          resetAt,
        });
      });

      it('grants nothing when a lowered limit is already exceeded', async () => {
        const counters = await open();
        const group = makeId('key');
        const now = Date.now();
        await counters.lease(leaseOf(group, 8), now);
        const none = await counters.lease(leaseOf(group, 5, 3), now);
        expect(none).toMatchObject({ granted: 0, consumed: 8 });
      });

      it('grants exactly N to concurrent leases and single requests', async () => {
        const counters = await open();
        const group = makeId('key');
        const now = Date.now();
        const limit = 500;
        const grants = Array.from({ length: 300 }, async (_, n) =>
          n % 3 === 0
            ? Number((await counters.take(group, limit, 60_000, now)).allowed)
            : (await counters.lease(leaseOf(group, 1 + (n % 7), limit), now)).granted,
        );
        const granted = (await Promise.all(grants)).reduce((sum, each) => sum + each, 0);
        expect(granted).toBe(limit);
      });

      it('accepts the unused part once, and never more than it granted', async () => {
        const counters = await open();
        const group = makeId('key');
        const now = Date.now();
        const lease = leaseOf(group, 6);
        await counters.lease(lease, now);
        expect(await counters.giveBack(lease.id, group, 4, now)).toBe(4);
        expect(await counters.giveBack(lease.id, group, 2, now)).toBe(0);
        expect(await counters.take(group, 10, 60_000, now)).toMatchObject({ consumed: 3 });
        const greedy = leaseOf(group, 5);
        await counters.lease(greedy, now);
        expect(await counters.giveBack(greedy.id, group, 1_000, now)).toBe(5);
        expect(await counters.take(group, 10, 60_000, now)).toMatchObject({ consumed: 4 });
      });

      it('accepts the return of a lease once when it is returned many times concurrently', async () => {
        const counters = await open();
        const group = makeId('key');
        const now = Date.now();
        const lease = leaseOf(group, 6);
        await counters.lease(lease, now);
        const returns = Array.from({ length: 20 }, async () =>
          counters.giveBack(lease.id, group, 6, now),
        );
        expect((await Promise.all(returns)).filter((returned) => returned > 0)).toEqual([6]);
      });

      it('accepts no return of a lease that is unknown, belongs to another group, or was not granted', async () => {
        const counters = await open();
        const [group, other] = [makeId('key'), makeId('key')];
        const now = Date.now();
        const lease = leaseOf(group, 6);
        await counters.lease(lease, now);
        await counters.lease(leaseOf(other, 6), now);
        expect(await counters.giveBack(makeId('lse'), group, 6, now)).toBe(0);
        expect(await counters.giveBack(lease.id, other, 6, now)).toBe(0);
        expect(await counters.take(other, 10, 60_000, now)).toMatchObject({ consumed: 7 });
        await counters.lease(leaseOf(group, 4), now);
        const empty = leaseOf(group, 4);
        expect((await counters.lease(empty, now)).granted).toBe(0);
        expect(await counters.giveBack(empty.id, group, 4, now)).toBe(0);
        expect(await counters.take(group, 10, 60_000, now)).toMatchObject({ consumed: 10 });
      });

      it.each([false, true])(
        'accepts no return for a name that is not the id of a lease (sliding: %s)',
        async (isSliding) => {
          const counters = await open();
          const group = makeId('key');
          const now = Date.now();
          const { resetAt } = await counters.lease({ ...leaseOf(group, 10), isSliding }, now);
          for (const name of ['c', 'r', 'p', 'w', 'embedded', ''])
            expect(await counters.giveBack(name, group, 10, now)).toBe(0);
          expect(await counters.lease({ ...leaseOf(group, 1), isSliding }, now)).toMatchObject({
            granted: 0,
            consumed: 10,
            resetAt,
          });
        },
      );

      it('returns nothing to a later window', async () => {
        const counters = await open();
        const group = makeId('key');
        const lease = { ...leaseOf(group, 6), ttlMs: 1_000 };
        const { resetAt } = await counters.lease(lease, Date.now());
        while (Date.now() <= resetAt) await sleep(resetAt + 50 - Date.now());
        await counters.lease(leaseOf(group, 6), Date.now());
        expect(await counters.giveBack(lease.id, group, 6, Date.now())).toBe(0);
        expect(await counters.take(group, 10, 60_000, Date.now())).toMatchObject({ consumed: 7 });
      });
    });
  });
}
