import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lanes } from './lanes.ts';

const NOW = 1_000;
const ALL = 1_000;

const placesOf = (lanes: Lanes) => lanes.ask(NOW, ALL).map(({ places }) => places);

describe('a lane', () => {
  it('begins with four places, grows to sixteen with successes and shrinks to one with failures', () => {
    const lanes = new Lanes();
    const placesAfter = (succeeded: boolean, times: number) => {
      for (let n = 0; n < times; n++) {
        lanes.wake('a', NOW);
        const [ask] = lanes.ask(NOW, ALL);
        lanes.asked('a', ask!.places - 1, NOW);
        lanes.finished('a', succeeded);
      }
      const [{ places } = { places: 0 }] = lanes.ask(NOW, ALL);
      lanes.asked('a', places, NOW);
      return places;
    };
    lanes.wake('a', NOW);
    expect(placesAfter(true, 0)).toBe(4);
    expect(placesAfter(true, 3)).toBe(7);
    expect(placesAfter(true, 50)).toBe(16);
    expect(placesAfter(false, 1)).toBe(8);
    expect(placesAfter(false, 50)).toBe(1);
  });

  it('is not asked before it is due, nor twice for the same places', () => {
    const lanes = new Lanes();
    lanes.wake('a', NOW + 1);
    expect(placesOf(lanes)).toEqual([]);
    expect(lanes.nextDueAt()).toBe(NOW + 1);
    lanes.wake('a', NOW);
    expect(placesOf(lanes)).toEqual([4]);
    lanes.wake('a', NOW);
    expect(placesOf(lanes)).toEqual([]);
    expect(lanes.nextDueAt()).toBe(Infinity);
  });

  it('hears a wake that comes while its claim is under way', () => {
    const lanes = new Lanes();
    lanes.wake('a', NOW);
    lanes.ask(NOW, ALL);
    lanes.wake('a', NOW);
    lanes.asked('a', 4, NOW + 60_000);
    expect(lanes.nextDueAt()).toBe(NOW);
  });

  it('is forgotten when it has nothing due and nothing in flight', () => {
    const lanes = new Lanes();
    lanes.wake('a', NOW);
    lanes.ask(NOW, ALL);
    lanes.asked('a', 3, Infinity);
    expect(lanes.size).toBe(1);
    lanes.finished('a', true);
    expect(lanes.size).toBe(0);
    expect(lanes.inFlight).toBe(0);
  });
});

it('lanes left out when the node is full come first the next time', () => {
  const lanes = new Lanes();
  const ids = Array.from({ length: 70 }, (_, n) => `hook ${n}`);
  for (const id of ids) lanes.wake(id, NOW);
  const asked: string[] = [];
  for (let turn = 0; turn < 3; turn++)
    for (const { webhookId, places } of lanes.ask(NOW, 128)) {
      asked.push(webhookId);
      lanes.asked(webhookId, places, NOW);
    }
  expect(new Set(asked.slice(0, ids.length))).toEqual(new Set(ids));
});

it('no order of events takes more than 256 places, or more than 16 of one webhook', () => {
  const steps = fc.array(
    fc.record({
      what: fc.constantFrom('wake', 'ask', 'succeed', 'fail'),
      webhook: fc.integer({ min: 0, max: 30 }),
      used: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 300 },
  );
  fc.assert(
    fc.property(steps, (taken) => {
      const lanes = new Lanes();
      const inFlight = new Map<string, number>();
      const total = () => [...inFlight.values()].reduce((sum, count) => sum + count, 0);
      for (const { what, webhook, used } of taken) {
        const id = `hook ${webhook}`;
        if (what === 'wake') lanes.wake(id, NOW);
        else if (what === 'ask')
          for (const ask of lanes.ask(NOW, ALL)) {
            const got = Math.round(ask.places * used);
            inFlight.set(ask.webhookId, (inFlight.get(ask.webhookId) ?? 0) + got);
            lanes.asked(ask.webhookId, ask.places - got, NOW);
          }
        else if ((inFlight.get(id) ?? 0) > 0) {
          inFlight.set(id, inFlight.get(id)! - 1);
          lanes.finished(id, what === 'succeed');
        }
        expect(lanes.inFlight).toBe(total());
        expect(total()).toBeLessThanOrEqual(256);
        expect(Math.max(0, ...inFlight.values())).toBeLessThanOrEqual(16);
      }
    }),
  );
});
