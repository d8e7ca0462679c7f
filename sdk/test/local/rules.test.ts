import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EventParser } from '../../src/local/event-parser.ts';
import { Knowledge } from '../../src/local/knowledge.ts';

it('events are read whole, however they are cut', () => {
  const text = 'id: x.1\nevent: change\ndata: {"keyId":"key_1"}\n\nevent: beat\ndata: {"at":5}\n\n';
  fc.assert(
    fc.property(fc.array(fc.nat({ max: text.length })), (cuts) => {
      const parser = new EventParser();
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const events = places
        .slice(1)
        .flatMap((end, n) => [...parser.push(text.slice(places[n], end))]);
      expect(events).toEqual([
        { event: 'change', data: { keyId: 'key_1' }, id: 'x.1' },
        { event: 'beat', data: { at: 5 }, id: null },
      ]);
    }),
  );
});

describe('what may be learnt', () => {
  it('only what reflects a moment without a gap since, and with nothing told since', () => {
    const known = new Knowledge();
    expect(known.mayLearn(100, 100, 'key')).toBe(false);
    known.begin(100);
    expect(known.mayLearn(99, 110, 'key')).toBe(false);
    expect(known.mayLearn(100, 110, 'key')).toBe(true);
    known.tell('key', 120);
    expect(known.mayLearn(119, 130, 'key')).toBe(false);
    expect(known.mayLearn(120, 130, 'key')).toBe(false);
    expect(known.mayLearn(121, 130, 'key')).toBe(true);
    expect(known.mayLearn(119, 130, 'other')).toBe(true);
    expect(known.mayLearn(119, 130, 'other', 'key')).toBe(false);
    expect(known.mayLearn(121, 20_000, 'key')).toBe(false);
    known.begin(200);
    expect(known.mayLearn(150, 210, 'other')).toBe(false);
    known.lose();
    expect(known.mayLearn(1_000, 1_010, 'other')).toBe(false);
  });

  it('is believed for a second after the last statement, whatever came in between', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const known = new Knowledge();
    const start = 5_000;
    known.begin(start);
    expect(known.isFresh(start)).toBe(false);
    known.statement(start, start);
    expect(known.isFresh(start + 500)).toBe(true);
    // The machine slept, and with it the monotonic clock.
    vi.setSystemTime(Date.now() + 60_000);
    expect(known.isFresh(start + 511)).toBe(false);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(known.isFresh(start + 1_000)).toBe(true);
    expect(known.isFresh(start + 1_001)).toBe(false);
    known.tell('key', start + 900);
    expect(known.isFresh(start + 1_001)).toBe(false);
    known.statement(start - 500, start + 1_000);
    expect(known.isFresh(start + 1_001)).toBe(false);
  });
});
