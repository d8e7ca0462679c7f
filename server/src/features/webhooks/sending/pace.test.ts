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

it('slows down for validations on a busy thread, but never stops', () => {
  const { pace, pass } = paced();
  pass(30, 20_000, 0.99);
  expect(pace.perSecond).toBe(200);
  expect(pace.allowance()).toBe(40);
  pace.onStarted(40);
  expect(pace.allowance()).toBe(0);
});

it('updates the rate when it is read, even if nothing is sent', () => {
  const { load, pace } = paced();
  load.utilization = 0.99;
  for (let n = 0; n < 30; n++) {
    load.now += 100;
    load.validations += 2_000;
    void pace.perSecond;
  }
  expect(pace.perSecond).toBe(200);
});

it('halves the actual rate, not the limit', () => {
  const { pace, pass } = paced();
  pace.onStarted(200);
  pass(1, 20_000, 0.99);
  expect(pace.perSecond).toBe(1_000);
  pace.onStarted(100);
  pass(1, 20_000, 0.99);
  expect(pace.perSecond).toBe(500);
});

it('does not slow down on a busy thread without validations', () => {
  const { pace, pass } = paced();
  pass(30, 10, 1);
  expect(pace.perSecond).toBe(50_000);
});

it('does not slow down while the thread has time for both', () => {
  const { pace, pass } = paced();
  pass(30, 20_000, 0.6);
  expect(pace.perSecond).toBe(50_000);
});

it('speeds up again when validations stop', () => {
  const { pace, pass } = paced();
  pass(30, 20_000, 0.99);
  pass(30, 0, 0.99);
  expect(pace.perSecond).toBe(50_000);
});

it('waits longer between claims when it is slow, so that each claim can take 16 deliveries', () => {
  const { pace, pass } = paced();
  expect(pace.gatherMs).toBe(2);
  pass(30, 20_000, 0.99);
  expect(pace.gatherMs).toBe(80);
  expect((pace.perSecond * pace.gatherMs) / 1000).toBe(16);
});

it('lets a late claim catch up, within a limit', () => {
  const { load, pace, pass } = paced();
  pass(30, 20_000, 0.99);
  pace.onStarted(40);
  load.now += 80;
  expect(pace.allowance()).toBe(16);
  load.now += 10_000;
  load.validations += 200_000;
  expect(pace.allowance()).toBe(40);
});
