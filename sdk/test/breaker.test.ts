import { expect, it } from 'vitest';
import { type Admission, Breaker } from '../src/http/breaker.ts';
import { BREAKER_CASES } from './breaker-cases.ts';

it.each(BREAKER_CASES)('$name', ({ steps }) => {
  const breaker = new Breaker();
  const admissions: Admission[] = [];
  for (const [n, step] of steps.entries()) {
    if ('admit' in step) {
      admissions.push(breaker.admit(step.at));
      expect({ step: n, decision: admissions.at(-1)!.decision }).toEqual({
        step: n,
        decision: step.admit,
      });
    } else breaker.record(admissions[step.of]!, step.result, step.at, step.retryAfterMs);
  }
});

it('says how long it will refuse', () => {
  const breaker = new Breaker();
  expect(breaker.waitMs(0)).toBe(0);
  breaker.record(breaker.admit(0), 'timeout', 100);
  expect(breaker.waitMs(300)).toBe(700);
  breaker.admit(1_000);
  expect(breaker.waitMs(1_000)).toBe(0);
});
