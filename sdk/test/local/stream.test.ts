import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EventParser } from '../../src/local/stream/event-parser.ts';
import { Freshness } from '../../src/local/stream/freshness.ts';

it('events are parsed the same however the text is split', () => {
  const text = 'id: x.1\nevent: change\ndata: {"keyId":"key_1"}\n\nevent: beat\ndata: {"at":5}\n\n';
  fc.assert(
    fc.property(fc.array(fc.nat({ max: text.length })), (splits) => {
      const parser = new EventParser();
      const offsets = [0, ...splits.toSorted((a, b) => a - b), text.length];
      const events = offsets
        .slice(1)
        .flatMap((end, n) => [...parser.push(text.slice(offsets[n], end))]);
      expect(events).toEqual([
        { event: 'change', data: { keyId: 'key_1' }, id: 'x.1' },
        { event: 'beat', data: { at: 5 }, id: null },
      ]);
    }),
  );
});

describe('freshness', () => {
  it('allows caching only without a gap in the stream and without a later change of the key', () => {
    const freshness = new Freshness();
    expect(freshness.mayCache(100, 100, 'key')).toBe(false);
    freshness.restart(100);
    expect(freshness.mayCache(99, 110, 'key')).toBe(false);
    expect(freshness.mayCache(100, 110, 'key')).toBe(true);
    freshness.recordChange('key', 120);
    expect(freshness.mayCache(119, 130, 'key')).toBe(false);
    expect(freshness.mayCache(120, 130, 'key')).toBe(false);
    expect(freshness.mayCache(121, 130, 'key')).toBe(true);
    expect(freshness.mayCache(119, 130, 'other')).toBe(true);
    expect(freshness.mayCache(119, 130, 'other', 'key')).toBe(false);
    expect(freshness.mayCache(121, 20_000, 'key')).toBe(false);
    freshness.restart(200);
    expect(freshness.mayCache(150, 210, 'other')).toBe(false);
    freshness.invalidate();
    expect(freshness.mayCache(1_000, 1_010, 'other')).toBe(false);
  });

  it('lasts until one second after the time up to which all changes were received, whatever else arrives', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const freshness = new Freshness();
    const start = 5_000;
    freshness.restart(start);
    expect(freshness.isFresh(start)).toBe(false);
    freshness.advance(start, start);
    expect(freshness.isFresh(start + 500)).toBe(true);
    // The machine slept, and its monotonic clock stopped.
    vi.setSystemTime(Date.now() + 60_000);
    expect(freshness.isFresh(start + 501)).toBe(false);
    expect(freshness.behindMs(start + 501)).toBe(60_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(freshness.isFresh(start + 1_000)).toBe(true);
    expect(freshness.isFresh(start + 1_001)).toBe(false);
    freshness.recordChange('key', start + 900);
    expect(freshness.isFresh(start + 1_001)).toBe(false);
    freshness.advance(start - 500, start + 1_000);
    expect(freshness.isFresh(start + 1_001)).toBe(false);
  });
});
