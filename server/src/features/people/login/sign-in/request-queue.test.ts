import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RequestQueue } from './request-queue.ts';

it('lets in as many as it may at once, in their order, and each in the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ turns: fc.nat(5), fails: fc.boolean() }), { maxLength: 30 }),
      async (concurrentMax, visits) => {
        const line = new RequestQueue({ concurrentMax, waitingMax: 30 });
        const begun: number[] = [];
        let inside = 0;
        const visit = async ({ turns, fails }: (typeof visits)[number], n: number) => {
          begun.push(n);
          expect(++inside).toBeLessThanOrEqual(concurrentMax);
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          inside--;
          if (fails) throw new Error('as asked');
          return n;
        };
        const came = await Promise.allSettled(
          visits.map((each, n) => line.run(() => visit(each, n))),
        );
        expect(begun).toEqual(visits.map((_, n) => n));
        expect(came.map(({ status }) => status === 'rejected')).toEqual(
          visits.map(({ fails }) => fails),
        );
      },
    ),
  );
});

it('turns away whoever would be one too many, and takes them when there is room again', async () => {
  const line = new RequestQueue({ concurrentMax: 1, waitingMax: 1 });
  const inside = Promise.withResolvers<void>();
  const first = line.run(() => inside.promise);
  const second = line.run(async () => 'second');
  await expect(line.run(async () => 'third')).rejects.toMatchObject({ code: 'overloaded' });
  inside.resolve();
  await first;
  expect(await second).toBe('second');
  expect(await line.run(async () => 'third')).toBe('third');
});

it('lets a known browser go ahead of all who wait, also where the line is full', async () => {
  const line = new RequestQueue({ concurrentMax: 1, waitingMax: 2 });
  const inside = Promise.withResolvers<void>();
  const order: string[] = [];
  const visit = (name: string, isFirst = false) =>
    line.run(async () => void order.push(name), { isFirst });
  const all = [
    line.run(() => inside.promise),
    visit('stranger'),
    visit('another'),
    visit('known', true),
  ];
  inside.resolve();
  await Promise.all(all);
  expect(order).toEqual(['known', 'stranger', 'another']);
});

it('passes over whoever has left meanwhile', async () => {
  const line = new RequestQueue({ concurrentMax: 1, waitingMax: 9 });
  const inside = Promise.withResolvers<void>();
  const first = line.run(() => inside.promise);
  let worked = false;
  const left = line.run(
    async () => {
      worked = true;
    },
    { isGone: () => true },
  );
  const stayed = line.run(async () => 'stayed');
  inside.resolve();
  await first;
  await expect(left).rejects.toMatchObject({ code: 'overloaded' });
  expect(await stayed).toBe('stayed');
  expect(worked).toBe(false);
});
