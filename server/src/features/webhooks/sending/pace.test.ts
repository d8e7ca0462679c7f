import { expect, it } from 'vitest';
import { Pace } from './pace.ts';

/** A load that a test sets; time passes in steps of a sample. */
function paced() {
  const load = { now: 0, validations: 0, utilization: 0 };
  const pace = new Pace({
    now: () => load.now,
    validations: () => load.validations,
    utilization: () => load.utilization,
  });
  const pass = (samples: number, perSecond: number, utilization: number) => {
    load.utilization = utilization;
    for (let n = 0; n < samples; n++) {
      load.now += 100;
      load.validations += perSecond / 10;
      pace.allowance();
    }
  };
  return { load, pace, pass };
}

it('gives way to validations when there is no time to spare, but never stands still', () => {
  const { pace, pass } = paced();
  pass(30, 20_000, 0.99);
  expect(pace.perSecond).toBe(200);
  expect(pace.allowance()).toBe(40);
  pace.began(40);
  expect(pace.allowance()).toBe(0);
});

it('is as of now for whoever reservations how fast it is, though nothing is sent', () => {
  const { load, pace } = paced();
  load.utilization = 0.99;
  for (let n = 0; n < 30; n++) {
    load.now += 100;
    load.validations += 2_000;
    void pace.perSecond;
  }
  expect(pace.perSecond).toBe(200);
});

it('halves what goes out, however much more might', () => {
  const { pace, pass } = paced();
  pace.began(200);
  pass(1, 20_000, 0.99);
  expect(pace.perSecond).toBe(1_000);
  pace.began(100);
  pass(1, 20_000, 0.99);
  expect(pace.perSecond).toBe(500);
});

it('does not give way to itself: a busy thread without validations is its own work', () => {
  const { pace, pass } = paced();
  pass(30, 10, 1);
  expect(pace.perSecond).toBe(50_000);
});

it('does not give way while there is time for both', () => {
  const { pace, pass } = paced();
  pass(30, 20_000, 0.6);
  expect(pace.perSecond).toBe(50_000);
});

it('speeds up again when validations are over', () => {
  const { pace, pass } = paced();
  pass(30, 20_000, 0.99);
  pass(30, 0, 0.99);
  expect(pace.perSecond).toBe(50_000);
});

it('claims as many together when it is slow as one webhook can take, and seldom', () => {
  const { pace, pass } = paced();
  expect(pace.gatherMs).toBe(2);
  pass(30, 20_000, 0.99);
  expect(pace.gatherMs).toBe(80);
  expect((pace.perSecond * pace.gatherMs) / 1000).toBe(16);
});

it('saves up what a late claim has missed, and no more', () => {
  const { load, pace, pass } = paced();
  pass(30, 20_000, 0.99);
  pace.began(40);
  load.now += 80;
  expect(pace.allowance()).toBe(16);
  load.now += 10_000;
  load.validations += 200_000;
  expect(pace.allowance()).toBe(40);
});
