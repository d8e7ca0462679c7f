import { expect, it } from 'vitest';
import { ClockOffset } from './clock-offset.ts';

it('a late reply is not a difference of the clocks', () => {
  const offset = new ClockOffset();
  offset.observe(10_000, 11_400, 11_400);
  expect(offset.toLocal(60_000)).toBe(60_000);
  offset.observe(20_000, 20_000, 21_400);
  expect(offset.toLocal(60_000)).toBe(60_000);
});

it('differences above a second are corrected, and again when they end', () => {
  const offset = new ClockOffset();
  offset.observe(10_000, 11_000, 10_001);
  expect(offset.toLocal(60_000)).toBe(60_000);
  offset.observe(10_000, 15_000, 10_000);
  expect(offset.toLocal(60_000)).toBe(55_000);
  offset.observe(20_000, 25_000, 26_000);
  expect(offset.toLocal(60_000)).toBe(55_000);
  offset.observe(30_000, 30_000, 30_000);
  expect(offset.toLocal(60_000)).toBe(60_000);
});
