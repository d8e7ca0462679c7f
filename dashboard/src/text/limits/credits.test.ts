import type { Credits } from 'keyward';
import { describe, expect, it } from 'vitest';
import {
  chosenCredits,
  chosenPlanCredits,
  creditsChoice,
  creditsIn,
  creditsText,
  NO_CREDITS,
  planCreditsChoice,
  planCreditsText,
  withoutRemaining,
} from './credits.ts';

const CREDITS: Credits = {
  remaining: 1200,
  held: 0,
  overdrawn: 0,
  nextExpiry: null,
  refill: { amount: 5000, interval: 'month', timezone: 'Europe/Berlin' },
  nextRefillAt: '2030-02-01T00:00:00.000Z',
};

describe('credits of a form', () => {
  it('send the credits to start with, and no refill by default', () => {
    const on = { ...NO_CREDITS, on: true, remaining: '1,500' };
    expect(chosenCredits(on, NO_CREDITS)).toEqual({
      ok: true,
      credits: { remaining: 1500, refill: null },
    });
  });

  it('never send what is left of existing credits', () => {
    const before = creditsChoice(CREDITS);
    const chosen = chosenCredits({ ...before, amount: '9000' }, before);
    expect(chosen).toEqual({
      ok: true,
      credits: { refill: { amount: 9000, interval: 'month', timezone: 'Europe/Berlin' } },
    });
    expect(chosenCredits({ ...before, on: false }, before)).toEqual({ ok: true, credits: null });
    expect(withoutRemaining({ name: 'a', credits: CREDITS })).toEqual({
      name: 'a',
      credits: { refill: CREDITS.refill },
    });
  });

  it('of a plan have an amount and an interval', () => {
    const credits = { amount: 5000, interval: 'week' } as const;
    expect(chosenPlanCredits(planCreditsChoice(credits))).toEqual({ ok: true, credits });
    const once = { ...planCreditsChoice(credits), interval: 'never' } as const;
    expect(chosenPlanCredits(once)).toMatchObject({ credits: { amount: 5000, interval: null } });
    expect(chosenPlanCredits(planCreditsChoice(null))).toEqual({ ok: true, credits: null });
  });

  it.each(['', '-1', '1.5', 'many', '1e3', '1000000000001'])('reject %j', (text) => {
    expect(creditsIn(text)).toBeNull();
    const choice = { ...NO_CREDITS, on: true, remaining: text, amount: text };
    expect(chosenCredits(choice, NO_CREDITS).ok).toBe(false);
    expect(chosenPlanCredits(choice).ok).toBe(false);
  });

  it('are formatted as text', () => {
    expect(creditsIn('1 000')).toBe(1000);
    expect(creditsText(CREDITS)).toBe(
      '1,200 left, refilled to 5,000 every month (Europe/Berlin time)',
    );
    expect(creditsText({ refill: null })).toBe('not refilled');
    expect(planCreditsText({ amount: 5000, interval: 'day' })).toBe(
      '5,000 credits, refilled every day',
    );
    expect(planCreditsText({ amount: 5000, interval: null })).toBe('5,000 credits, not refilled');
  });
});
