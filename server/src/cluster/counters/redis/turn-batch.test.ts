import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { TurnBatch } from './turn-batch.ts';

let handed: number[][];
const batchOf = (max: number) => new TurnBatch<number>(max, (some) => handed.push([...some]));
beforeEach(() => {
  handed = [];
});

it('flushes the items of one turn together, in order, each once', async () => {
  const batch = batchOf(10);
  batch.add(1);
  await Promise.resolve();
  batch.add(2);
  expect([handed, batch.size]).toEqual([[], 2]);
  await nextTurn();
  expect([handed, batch.size]).toEqual([[[1, 2]], 0]);
  batch.add(3);
  await nextTurn();
  await nextTurn();
  expect(handed).toEqual([[1, 2], [3]]);
});

it('flushes at once when it is full, and the rest at the end of the turn', async () => {
  const batch = batchOf(2);
  for (const n of [1, 2, 3, 4, 5]) batch.add(n);
  expect(handed).toEqual([
    [1, 2],
    [3, 4],
  ]);
  await nextTurn();
  expect(handed).toEqual([[1, 2], [3, 4], [5]]);
});

it('flushes on request, but never an empty batch', async () => {
  const batch = batchOf(10);
  batch.flush();
  batch.add(1);
  batch.flush();
  batch.flush();
  expect(handed).toEqual([[1]]);
  batch.add(2);
  await nextTurn();
  await nextTurn();
  expect(handed).toEqual([[1], [2]]);
});

it('accepts items that are added during a flush', async () => {
  const batch: TurnBatch<number> = new TurnBatch<number>(2, (some) => {
    handed.push([...some]);
    if (some.includes(2)) batch.add(3);
  });
  batch.add(1);
  batch.add(2);
  await nextTurn();
  await nextTurn();
  expect(handed).toEqual([[1, 2], [3]]);
});
