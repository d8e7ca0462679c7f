import { afterAll, beforeAll, expect, it } from 'vitest';
import { scaled, timeoutMs } from '../../harness/scale.ts';
import { runSeed, SeededRandom } from '../../harness/seeded-random.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { byBucket, countOf, totalFields } from '../../model/usage-recount.ts';
import { UsageWorld } from '../../model/usage-world.ts';

const DAY = 86_400_000;
const STEPS = scaled(400, 80);

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/**
 * The clock jumps a day forward or back. Every validation is counted once, in the minute that the
 * clock showed, whatever has been rolled up by then.
 */
it(
  'clock jumps lose no counts, double none, and put none into a wrong bucket',
  async () => {
    const seed = runSeed();
    const random = new SeededRandom(seed);
    const world = new UsageWorld(test);
    test.clock.now += 30 * DAY;
    await world.make();
    test.clock.now += 2 * DAY;
    const earliest = test.clock.now - DAY;
    for (let step = 0; step < STEPS; step++) {
      await world.advance(random.below(30 * 60_000));
      if (random.chance(0.1)) await world.advance(DAY);
      if (random.chance(0.1)) test.clock.now = Math.max(earliest, test.clock.now - DAY);
      await world.validate(random, 5);
      if (random.chance(0.4)) await test.app.tally.flush();
      if (random.chance(0.3)) await test.app.usageMaintenance.run();
    }
    await test.app.tally.flush();
    await test.app.usageMaintenance.run();
    // The clock may end before some validations; move it past the last one.
    test.clock.now = Math.max(...world.validations.map(({ at }) => at)) + 1;

    for (const interval of ['hour', 'day', 'month'] as const) {
      const { body } = await test.client.get(`/analytics/api-key-totals?dateGrouping=${interval}`);
      const expected = world.keys
        .toSorted((a, b) => (a.id < b.id ? 1 : -1))
        .flatMap((key) => {
          const list = world.validations.filter((each) => each.key?.id === key.id);
          const buckets = byBucket(list, { interval, timeZone: 'UTC', from: null, to: null });
          return [...buckets].map(([start, inside]) => ({
            id: key.id,
            date: new Date(start).toISOString(),
            ...totalFields(countOf(inside)),
          }));
        });
      const reported = body.map(
        ({ id, date, total, valid, rateLimited, denied, cost }: (typeof expected)[0]) => ({
          id,
          date,
          total,
          valid,
          rateLimited,
          denied,
          cost,
        }),
      );
      expect(reported, `seed ${seed}`).toEqual(expected);
    }
    const { body: projects } = await test.client.get('/analytics/project-totals');
    const known = world.validations.filter(({ key }) => key !== null);
    const total = projects.reduce((sum: number, row: { total: number }) => sum + row.total, 0);
    expect(total).toBe(known.length);
    const { body: accessKeyRows } = await test.client.get(
      '/analytics/usage?groupBy=accessKey&interval=month',
    );
    const accessKeyTotal = accessKeyRows.reduce(
      (sum: number, row: { total: number }) => sum + row.total,
      0,
    );
    expect(accessKeyTotal).toBe(world.validations.length);
    console.log(`clock steps: seed ${seed}, ${world.validations.length} validations, 0 miscounted`);
  },
  timeoutMs,
);
