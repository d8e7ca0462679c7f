import { expect, it } from 'vitest';
import { type HeldResponse, type Payer, ResponseBudget } from './response-budget.ts';

const limits = { accountBytes: 100, groupBytes: 200, totalBytes: 1_000, waitMs: 60_000 };
const a = { name: 'a' };
const b = { name: 'b' };
const NO_WAIT = { ...limits, waitMs: 0 };
const held = (reserved: HeldResponse | Promise<HeldResponse>) => {
  if (reserved instanceof Promise) throw new Error('There was no room.');
  return reserved;
};
/** Reserves single bytes until one has to wait. */
function fill(budget: ResponseBudget, payer: Payer): void {
  for (;;) {
    const reserved = budget.reserve(payer, 1);
    if (reserved instanceof Promise) return void reserved.catch(() => {});
  }
}
const OVERLOADED = { code: 'overloaded', headers: ['Retry-After', '1'] };

it('an account has at most its bytes reserved and unread; the next response waits for room', async () => {
  const budget = new ResponseBudget(limits);
  const first = held(budget.reserve(a, 60));
  const second = held(budget.reserve(a, 40));
  const started: string[] = [];
  const third = Promise.resolve(budget.reserve(a, 50)).then(() => started.push('third'));
  const fourth = Promise.resolve(budget.reserve(a, 10)).then(() => started.push('fourth'));
  held(budget.reserve(b, 100));
  // Complete, and smaller than reserved.
  second.send(30);
  await Promise.resolve();
  expect([started, budget.bytes]).toEqual([[], 190]);
  first.release();
  await Promise.all([third, fourth]);
  expect([started, budget.bytes]).toEqual([['third', 'fourth'], 190]);
});

it('a response that finds no room in time is refused', async () => {
  const budget = new ResponseBudget(NO_WAIT);
  const first = held(budget.reserve(a, 100));
  await expect(budget.reserve(a, 1)).rejects.toMatchObject(OVERLOADED);
  expect(budget.refused).toBe(1);
  first.release();
  first.release();
  first.send(100);
  expect([budget.bytes, budget.payers]).toEqual([0, 0]);
  held(budget.reserve(a, 100));
});

it('only unread responses keep an account from sending requests', () => {
  const budget = new ResponseBudget(limits);
  const response = held(budget.reserve(a, 100));
  budget.admit(a);
  response.send(99);
  budget.admit(a);
  // The response to a change is counted, and not refused.
  const other = budget.send(a, 50);
  expect(() => budget.admit(a)).toThrow(expect.objectContaining(OVERLOADED));
  budget.admit(b);
  other.release();
  budget.admit(a);
});

it('all accounts together never reach the total, and one that holds nothing always finds room', () => {
  const budget = new ResponseBudget(limits);
  for (let account = 0; account < 20; account++) {
    const payer = { name: `account ${account}` };
    held(budget.reserve(payer, 1)).release();
    fill(budget, payer);
    expect(budget.bytes).toBeLessThan(limits.totalBytes);
    if (account === 0) expect(budget.bytes).toBe(limits.accountBytes);
  }
});

it('a group never reaches its bound, and leaves room for each of its callers and for others', () => {
  const budget = new ResponseBudget(limits);
  for (let customer = 0; customer < 10; customer++) {
    const payer = { name: `customer ${customer}`, group: 'customers' };
    held(budget.reserve(payer, 1)).release();
    fill(budget, payer);
    if (customer === 0) expect(budget.bytes).toBe(40);
    expect(budget.bytes).toBeLessThan(limits.groupBytes);
  }
  held(budget.reserve(a, 100));
});
