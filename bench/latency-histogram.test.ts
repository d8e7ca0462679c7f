import { describe, expect, it } from 'vitest';
import { LatencyHistogram } from './latency-histogram.ts';

describe('a histogram of latencies', () => {
  it('tells quantiles to 2 %', () => {
    const histogram = new LatencyHistogram();
    for (let n = 1; n <= 1000; n++) histogram.add(n / 10);
    expect(histogram.at(0.5) / 50).toBeCloseTo(1, 1);
    expect(Math.abs(histogram.at(0.5) / 50 - 1)).toBeLessThanOrEqual(0.02);
    expect(Math.abs(histogram.at(0.99) / 99 - 1)).toBeLessThanOrEqual(0.02);
    expect(histogram.at(1)).toBe(100);
    expect(histogram.maxMs).toBe(100);
  });

  it('takes what is shorter and longer than its buckets', () => {
    const histogram = new LatencyHistogram();
    histogram.add(0);
    histogram.add(1e9);
    expect(histogram.at(0.5)).toBeLessThan(0.01);
    expect(histogram.maxMs).toBe(1e9);
  });

  it('tells nothing of nothing', () => {
    const histogram = new LatencyHistogram();
    histogram.add(5);
    histogram.clear();
    expect(histogram.at(0.99)).toBe(0);
    expect(histogram.maxMs).toBe(0);
  });
});
