import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lanes } from './lanes.ts';

const NOW = 1_000;
const ALL = 1_000;

const slotsOf = (lanes: Lanes) => lanes.reserve(NOW, ALL).map(({ slots }) => slots);

describe('a lane', () => {
  it('starts with four slots, grows to sixteen with successes and shrinks to one with failures', () => {
    const lanes = new Lanes();
    const slotsAfter = (succeeded: boolean, times: number) => {
      for (let n = 0; n < times; n++) {
        lanes.wake('a', NOW);
        const [reservation] = lanes.reserve(NOW, ALL);
        lanes.release('a', reservation!.slots - 1, NOW);
        lanes.finished('a', succeeded);
      }
      const [{ slots } = { slots: 0 }] = lanes.reserve(NOW, ALL);
      lanes.release('a', slots, NOW);
      return slots;
    };
    lanes.wake('a', NOW);
    expect(slotsAfter(true, 0)).toBe(4);
    expect(slotsAfter(true, 3)).toBe(7);
    expect(slotsAfter(true, 50)).toBe(16);
    expect(slotsAfter(false, 1)).toBe(8);
    expect(slotsAfter(false, 50)).toBe(1);
  });

  it('gets no reservation before it is due, and none for slots in use', () => {
    const lanes = new Lanes();
    lanes.wake('a', NOW + 1);
    expect(slotsOf(lanes)).toEqual([]);
    expect(lanes.nextDueAt()).toBe(NOW + 1);
    lanes.wake('a', NOW);
    expect(slotsOf(lanes)).toEqual([4]);
    lanes.wake('a', NOW);
    expect(slotsOf(lanes)).toEqual([]);
    expect(lanes.nextDueAt()).toBe(Infinity);
  });

  it('does not lose a wake during a claim', () => {
    const lanes = new Lanes();
    lanes.wake('a', NOW);
    lanes.reserve(NOW, ALL);
    lanes.wake('a', NOW);
    lanes.release('a', 4, NOW + 60_000);
    expect(lanes.nextDueAt()).toBe(NOW);
  });

  it('is removed when nothing is due and nothing in flight', () => {
    const lanes = new Lanes();
    lanes.wake('a', NOW);
    lanes.reserve(NOW, ALL);
    lanes.release('a', 3, Infinity);
    expect(lanes.size).toBe(1);
    lanes.finished('a', true);
    expect(lanes.size).toBe(0);
    expect(lanes.inFlight).toBe(0);
  });
});

it('serves lanes first that were left out because the node was full', () => {
  const lanes = new Lanes();
  const ids = Array.from({ length: 70 }, (_, n) => `hook ${n}`);
  for (const id of ids) lanes.wake(id, NOW);
  const reserved: string[] = [];
  for (let turn = 0; turn < 3; turn++)
    for (const { webhookId, slots } of lanes.reserve(NOW, 128)) {
      reserved.push(webhookId);
      lanes.release(webhookId, slots, NOW);
    }
  expect(new Set(reserved.slice(0, ids.length))).toEqual(new Set(ids));
});

it('never uses more than 256 slots, or more than 16 for one webhook, in any order of events', () => {
  const steps = fc.array(
    fc.record({
      what: fc.constantFrom('wake', 'reserve', 'succeed', 'fail'),
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
        else if (what === 'reserve')
          for (const reservation of lanes.reserve(NOW, ALL)) {
            const got = Math.round(reservation.slots * used);
            inFlight.set(reservation.webhookId, (inFlight.get(reservation.webhookId) ?? 0) + got);
            lanes.release(reservation.webhookId, reservation.slots - got, NOW);
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
