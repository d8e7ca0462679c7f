import { expect, it } from 'vitest';
import type { ReplayedLimit } from './replay.ts';
import { ReplayTotals } from './replay-totals.ts';

const MINUTE_MS = 60_000;
const START = Date.UTC(2030, 0, 1);

const limit: ReplayedLimit = {
  name: 'minute',
  limit: 3,
  per: 'key',
  isSliding: false,
  isEnforced: true,
  lengthAt: () => MINUTE_MS,
};

const keyOf = (seq: number) => ({
  seq,
  id: `key_${seq}`,
  custom_account_id: null,
  limit_group: `key_${seq}`,
  limits: null,
  customer_limits: null,
  has_own_credits: 0 as const,
});
const minute = (seq: number, minutes = 0, valid = 4) => ({
  seq,
  start: START + minutes * MINUTE_MS,
  valid,
  cost: valid,
  refused: 0,
});

it('omits keys beyond its bound and counts their requests, and stops at its bound of minutes', async () => {
  const read: number[] = [];
  const readKeys = async (seqs: readonly number[]) => {
    read.push(...seqs);
    return seqs.map(keyOf);
  };
  const totals = new ReplayTotals([limit], null, 'plan', { keys: 2, minutes: 6 });
  expect(await totals.addPage([minute(1), minute(2), minute(3)], readKeys)).toBe(true);
  expect(await totals.addPage([minute(1, 1), minute(3, 1)], readKeys)).toBe(true);
  expect(await totals.addPage([minute(4, 2)], readKeys)).toBe(false);
  expect(read).toEqual([1, 2]);
  expect(totals.evaluated).toEqual({ keys: 2, requests: 12, cost: 12 });
  expect([totals.refused, totals.omittedRequests]).toEqual([3, 12]);
});

it('names the 100 owners with the most refusals', async () => {
  const totals = new ReplayTotals([limit], null);
  const page = Array.from({ length: 150 }, (_, seq) => minute(seq, 0, 3 + (seq % 120)));
  await totals.addPage(page, async (seqs) => seqs.map(keyOf));
  const [result] = totals.limitResults();
  expect(result!.refused).toBe(page.reduce((sum, { valid }) => sum + valid - 3, 0));
  expect(result!.customers).toHaveLength(100);
  expect(result!.customers[0]).toEqual({
    customAccountId: null,
    keyId: 'key_119',
    refused: 119,
    firstAt: new Date(START).toISOString(),
  });
  const counts = result!.customers.map(({ refused }) => refused);
  expect(counts).toEqual(counts.toSorted((a, b) => b - a));
});
