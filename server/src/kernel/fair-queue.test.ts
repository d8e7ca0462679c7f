import { expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('runs eight tasks of one caller at a time, and tasks of other callers beside them', async () => {
  const queue = new FairQueue({ perCaller: 8 });
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

it('counts a task that is done as running until the next turn', async () => {
  const queue = new FairQueue({ perCaller: 8 });
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
  const queue = new FairQueue({ perCaller: 8 });
  const fail = () => {
    throw new Error('no database');
  };
  const failed = Array.from({ length: 20 }, () => queue.run('a', fail));
  for (const result of failed) await expect(result).rejects.toThrow('no database');
  await nextTurn();
  expect(queue.run('a', () => 1)).toBe(1);
});

it('refuses a task of a caller with 10,000 waiting tasks, but not tasks of other callers', async () => {
  const queue = new FairQueue({ perCaller: 8 });
  const never = () => new Promise<void>(() => {});
  for (let n = 0; n < 10_008; n++) void queue.run('a', never);
  await expect(queue.run('a', never)).rejects.toMatchObject({ code: 'overloaded', status: 503 });
  expect(queue.run('b', () => 1)).toBe(1);
});

it('counts a promise that is resolved at once as running until the next turn', async () => {
  const queue = new FairQueue({ perCaller: 2 });
  const started: number[] = [];
  for (let n = 0; n < 6; n++) void queue.run('a', async () => started.push(n));
  for (let n = 0; n < 10; n++) await Promise.resolve();
  expect(started).toHaveLength(2);
  await nextTurn();
  expect(started).toHaveLength(4);
});

it('limits the tasks of all callers together, and lets the callers take turns', async () => {
  const queue = new FairQueue({ perCaller: 4, total: 4 });
  const started: string[] = [];
  const add = (caller: string) => void queue.run(caller, () => started.push(caller));
  for (let n = 0; n < 10; n++) add('flood');
  expect(started).toHaveLength(4);
  add('b');
  add('c');
  expect(started).toHaveLength(4);
  await nextTurn();
  // The six waiting tasks of the flood do not delay the others.
  expect(started.slice(4)).toEqual(['b', 'c', 'flood', 'flood']);
  add('b');
  await nextTurn();
  expect(started.slice(8)).toHaveLength(4);
  expect(started.slice(8, 10)).toContain('b');
});

it('forgets callers that have nothing to do', async () => {
  const queue = new FairQueue({ perCaller: 1, total: 2, waitingPerCaller: 1 });
  const never = () => new Promise<void>(() => {});
  void queue.run('a', never);
  void queue.run('b', () => 1);
  void queue.run('b', () => 2);
  await expect(queue.run('b', () => 3)).rejects.toMatchObject({ code: 'overloaded' });
  await nextTurn();
  await nextTurn();
  expect(queue.callers).toBe(1);
});
