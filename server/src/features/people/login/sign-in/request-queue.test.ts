import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RequestQueue } from './request-queue.ts';

it('runs all calls in order, and no more than allowed at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ turns: fc.nat(5), fails: fc.boolean() }), { maxLength: 30 }),
      async (concurrentMax, calls) => {
        const queue = new RequestQueue({ concurrentMax, waitingMax: 30 });
        const started: number[] = [];
        let running = 0;
        const call = async ({ turns, fails }: (typeof calls)[number], n: number) => {
          started.push(n);
          expect(++running).toBeLessThanOrEqual(concurrentMax);
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          running--;
          if (fails) throw new Error('failed as requested');
          return n;
        };
        const results = await Promise.allSettled(
          calls.map((each, n) => queue.run(() => call(each, n))),
        );
        expect(started).toEqual(calls.map((_, n) => n));
        expect(results.map(({ status }) => status === 'rejected')).toEqual(
          calls.map(({ fails }) => fails),
        );
      },
    ),
  );
});

it('rejects a call when the queue is full, and accepts it when there is room again', async () => {
  const queue = new RequestQueue({ concurrentMax: 1, waitingMax: 1 });
  const running = Promise.withResolvers<void>();
  const first = queue.run(() => running.promise);
  const second = queue.run(async () => 'second');
  await expect(queue.run(async () => 'third')).rejects.toMatchObject({ code: 'overloaded' });
  running.resolve();
  await first;
  expect(await second).toBe('second');
  expect(await queue.run(async () => 'third')).toBe('third');
});

it('puts a known browser first in the queue, even if the queue is full', async () => {
  const queue = new RequestQueue({ concurrentMax: 1, waitingMax: 2 });
  const running = Promise.withResolvers<void>();
  const order: string[] = [];
  const call = (name: string, isFirst = false) =>
    queue.run(async () => void order.push(name), { isFirst });
  const all = [
    queue.run(() => running.promise),
    call('stranger'),
    call('another'),
    call('known', true),
  ];
  running.resolve();
  await Promise.all(all);
  expect(order).toEqual(['known', 'stranger', 'another']);
});

it('skips a call whose client has disconnected', async () => {
  const queue = new RequestQueue({ concurrentMax: 1, waitingMax: 9 });
  const running = Promise.withResolvers<void>();
  const first = queue.run(() => running.promise);
  let ran = false;
  const gone = queue.run(
    async () => {
      ran = true;
    },
    { isGone: () => true },
  );
  const waiting = queue.run(async () => 'waiting');
  running.resolve();
  await first;
  await expect(gone).rejects.toMatchObject({ code: 'overloaded' });
  expect(await waiting).toBe('waiting');
  expect(ran).toBe(false);
});
