import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import {
  amountOf,
  costInput,
  costText,
  InvalidCost,
  isFree,
  isUnit,
  readCost,
  readCostText,
  undeclaredUnit,
} from './cost.ts';

test.each([
  [3, { requests: 3, credits: 3, tokens: 0 }],
  [{}, { requests: 1, credits: 1, tokens: 0 }],
  [
    { tokens: 1200, credits: 3 },
    { requests: 1, credits: 3, tokens: 1200 },
  ],
  [
    { requests: 0, credits: 0 },
    { requests: 0, credits: 0, tokens: 0 },
  ],
  // A name that every object has.
  [{ constructor: 5 }, { constructor: 5, tokens: 0 }],
])('%j costs %j', (input, amounts) => {
  const cost = readCost(input);
  for (const [unit, amount] of Object.entries(amounts)) expect(amountOf(cost, unit)).toBe(amount);
});

it('costs nothing of a unit that has the name of a method', () => {
  expect(amountOf(readCost({ tokens: 1 }), 'constructor')).toBe(0);
  expect(amountOf(1, 'constructor')).toBe(0);
});

test.each([
  ...['1', 1.5, -1, 1_000_001, null, true, [], Number.NaN],
  ...[{ tokens: -1 }, { tokens: 1.5 }, { tokens: 1_000_000_001 }, { tokens: '1' }],
  ...[{ Tokens: 1 }, { '': 1 }, { ['t'.repeat(33)]: 1 }, { 'a b': 1 }],
  Object.fromEntries(Array.from({ length: 19 }, (_, n) => [`unit-${n}`, 1])),
])('%j is not a cost', (input) => {
  expect(() => readCost(input)).toThrow(InvalidCost);
});

test.each(['', 'a', '-1', '1.5', '1e3', '1000001', 'tokens:', ':1', 'tokens:1:2', 'tokens:1,'])(
  '%s in a query is not a cost',
  (text) => {
    expect(() => readCostText(text)).toThrow(InvalidCost);
  },
);

it('reads what a query names, but each unit once', () => {
  expect(readCostText('tokens:1200,credits:3')).toEqual(readCost({ tokens: 1200, credits: 3 }));
  expect(readCostText('7')).toBe(7);
  expect(() => readCostText('tokens:1,tokens:2')).toThrow('names "tokens" twice');
});

it('may have a least cost, if it is one number', () => {
  expect(() => readCost(0, 1)).toThrow('from 1');
  expect(() => readCostText('0', 1)).toThrow('from 1');
  expect(readCostText('tokens:0', 1)).toEqual(readCost({ tokens: 0 }));
});

it('reads what it writes', () => {
  const amounts = fc.dictionary(
    fc.stringMatching(/^[a-z0-9-]{1,32}$/),
    fc.integer({ min: 0, max: 1_000_000_000 }),
    { maxKeys: 16 },
  );
  const input = fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), amounts);
  fc.assert(
    fc.property(input, (each) => {
      const cost = readCost(each);
      expect(readCost(costInput(cost))).toEqual(cost);
      expect(readCostText(costText(costInput(cost)))).toEqual(cost);
    }),
  );
});

it('knows which units a project must declare', () => {
  expect(undeclaredUnit(readCost({ tokens: 1, pages: 1 }), ['tokens'])).toBe('pages');
  expect(undeclaredUnit(readCost({ tokens: 1, credits: 1 }), ['tokens'])).toBeNull();
  expect(undeclaredUnit(5, [])).toBeNull();
  expect(['tokens', 'requests', 'credits', 'A', ''].map(isUnit)).toEqual([
    ...[true, false, false, false, false],
  ]);
});

it('is free if it takes nothing', () => {
  expect(
    [0, { requests: 0, credits: 0 }, { requests: 0, credits: 0, tokens: 0 }]
      .map(readCost)
      .map(isFree),
  ).toEqual([true, true, true]);
  expect(
    [1, {}, { requests: 0, credits: 0, tokens: 1 }].map((each) => isFree(readCost(each))),
  ).toEqual([false, false, false]);
});
