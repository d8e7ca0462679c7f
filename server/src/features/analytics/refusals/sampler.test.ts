import { describe, expect, it } from 'vitest';
import { RefusalSampler } from './sampler.ts';

const key = (keySeq: number, projectId = 'prj_a') => ({ accountId: 'acc_a', projectId, keySeq });
const START = Date.UTC(2030, 0, 1);

/** Refuses keys in turn, and returns how many are recorded. */
function refuse(sampler: RefusalSampler, count: number, keys: number, now: number): number {
  let recorded = 0;
  for (let n = 0; n < count; n++) {
    const refused = key((n % keys) + 1);
    if (sampler.allows(refused, now)) recorded++;
    else sampler.omit(refused, now);
  }
  return recorded;
}

describe('RefusalSampler', () => {
  it('records at most 10 refusals per key and minute', () => {
    const sampler = new RefusalSampler();
    let recorded = 0;
    for (let second = 0; second < 60; second++)
      recorded += refuse(sampler, 5, 1, START + second * 1_000);
    expect(recorded).toBe(10);
    expect(refuse(sampler, 50, 1, START + 60_000)).toBe(10);
  });

  it('records at most 200 refusals per second', () => {
    const sampler = new RefusalSampler();
    expect(refuse(sampler, 5_000, 1_000, START)).toBe(200);
    expect(refuse(sampler, 5_000, 1_000, START + 999)).toBe(0);
    expect(refuse(sampler, 5_000, 1_000, START + 1_000)).toBe(200);
  });

  it('counts every refusal that it does not record, with few rows in a flood', () => {
    const sampler = new RefusalSampler();
    const recorded = refuse(sampler, 100_000, 50_000, START);
    const { omissions } = sampler.take();
    expect(omissions.reduce((sum, { count }) => sum + count, 0)).toBe(100_000 - recorded);
    expect(omissions.length).toBeLessThanOrEqual(101);
    expect(omissions.filter(({ keySeq }) => keySeq === 0)).toHaveLength(1);
    expect(sampler.take().omissions).toEqual([]);
  });

  it('stops recording while nothing is written, so that memory is bounded', () => {
    const sampler = new RefusalSampler();
    const details = { code: 'key_revoked', clientIP: null, origin: null, missing: null } as const;
    let recorded = 0;
    for (let n = 0; n < 200_000; n++) {
      const time = START + n * 4;
      const refused = key(n);
      if (!sampler.allows(refused, time)) continue;
      sampler.add({ ...refused, ...details, time, accessKeySeq: 1, limit: null, cost: 1 });
      recorded++;
    }
    expect(recorded).toBe(10_000);
    expect(sampler.take().samples).toHaveLength(10_000);
    expect(sampler.allows(key(1), START + 900_000)).toBe(true);
  });

  it('counts reported refusals of 100 keys separately in each minute, even if none is recorded', () => {
    const sampler = new RefusalSampler();
    const counted = (now: number) =>
      Array.from({ length: 101 }, (_, n) => sampler.omission(key(n + 1), 5, now - 30_000, now));
    for (const now of [START, START + 60_000]) {
      const omissions = counted(now);
      expect(omissions.map(({ keySeq }) => keySeq)).toEqual(
        [...Array(100).keys(), -1].map((n) => n + 1),
      );
      expect(omissions[0]).toMatchObject({ minute: now - 60_000, count: 5 });
    }
  });

  it('keeps recording after the clock is set back', () => {
    const sampler = new RefusalSampler();
    expect(refuse(sampler, 20, 1, START)).toBe(10);
    expect(refuse(sampler, 20, 1, START - 3_600_000)).toBe(10);
  });
});
