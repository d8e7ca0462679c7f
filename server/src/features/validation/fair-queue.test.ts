import { expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('runs eight tasks of one caller at a time, and tasks of other callers beside them', async () => {
  const queue = new FairQueue(8);
  const reads: PromiseWithResolvers<void>[] = [];
  const started: string[] = [];
  const run = (caller: string, name: string) =>
    queue.run(caller, () => {
      const read = Promise.withResolvers<void>();
      reads.push(read);
      started.push(name);
      return read.promise;
    });

  const all = Array.from({ length: 10 }, (_, n) => run('a', `a${n}`));
  expect(started).toHaveLength(8);
  all.push(run('b', 'b0'));
  expect(started.at(-1)).toBe('b0');

  reads[3]!.resolve();
  await nextTurn();
  expect(started.slice(9)).toEqual(['a8']);
  while (started.length < 11) {
    for (const read of reads) read.resolve();
    await nextTurn();
  }
  for (const read of reads) read.resolve();
  await Promise.all(all);
  expect(started.at(-1)).toBe('a9');
});

it('counts a task that completes synchronously as running until the next turn', async () => {
  const queue = new FairQueue(8);
  const results = Array.from({ length: 20 }, (_, n) => queue.run('a', () => n));
  expect(results.filter((result) => typeof result === 'number')).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(queue.run('b', () => 'b')).toBe('b');

  const done: number[] = [];
  for (const result of results) void Promise.resolve(result).then((n) => done.push(n));
  await nextTurn();
  expect(done).toHaveLength(16);
  await nextTurn();
  expect(done).toEqual(Array.from({ length: 20 }, (_, n) => n));
  await nextTurn();
  expect(queue.run('a', () => 'free again')).toBe('free again');
});

it('rejects if a task throws, and frees its slot', async () => {
  const queue = new FairQueue(8);
  const fail = () => {
    throw new Error('no database');
  };
  const failed = Array.from({ length: 20 }, () => queue.run('a', fail));
  for (const result of failed) await expect(result).rejects.toThrow('no database');
  await nextTurn();
  expect(queue.run('a', () => 1)).toBe(1);
});

it('refuses a task of a caller with 10,000 waiting tasks, but not tasks of other callers', async () => {
  const queue = new FairQueue(8);
  const never = () => new Promise<void>(() => {});
  for (let n = 0; n < 10_008; n++) void queue.run('a', never);
  await expect(queue.run('a', never)).rejects.toMatchObject({ code: 'overloaded', status: 503 });
  expect(queue.run('b', () => 1)).toBe(1);
});
