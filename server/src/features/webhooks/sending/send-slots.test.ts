import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SendSlots } from './send-slots.ts';

const NOW = 1_000;
const ALL = 1_000;

const slotsOf = (sendSlots: SendSlots) => sendSlots.reserve(NOW, ALL).map(({ slots }) => slots);

describe('a webhook', () => {
  it('starts with four slots, grows to sixteen with successes and shrinks to one with failures', () => {
    const sendSlots = new SendSlots();
    const slotsAfter = (succeeded: boolean, times: number) => {
      for (let n = 0; n < times; n++) {
        sendSlots.wake('a', NOW);
        const [reservation] = sendSlots.reserve(NOW, ALL);
        sendSlots.release('a', reservation!.slots - 1, NOW);
        sendSlots.finished('a', succeeded);
      }
      const [{ slots } = { slots: 0 }] = sendSlots.reserve(NOW, ALL);
      sendSlots.release('a', slots, NOW);
      return slots;
    };
    sendSlots.wake('a', NOW);
    expect(slotsAfter(true, 0)).toBe(4);
    expect(slotsAfter(true, 3)).toBe(7);
    expect(slotsAfter(true, 50)).toBe(16);
    expect(slotsAfter(false, 1)).toBe(8);
    expect(slotsAfter(false, 50)).toBe(1);
  });

  it('gets no reservation before it is due, and none for slots in use', () => {
    const sendSlots = new SendSlots();
    sendSlots.wake('a', NOW + 1);
    expect(slotsOf(sendSlots)).toEqual([]);
    expect(sendSlots.nextDueAt()).toBe(NOW + 1);
    sendSlots.wake('a', NOW);
    expect(slotsOf(sendSlots)).toEqual([4]);
    sendSlots.wake('a', NOW);
    expect(slotsOf(sendSlots)).toEqual([]);
    expect(sendSlots.nextDueAt()).toBe(Infinity);
  });

  it('does not lose a wake during a claim', () => {
    const sendSlots = new SendSlots();
    sendSlots.wake('a', NOW);
    sendSlots.reserve(NOW, ALL);
    sendSlots.wake('a', NOW);
    sendSlots.release('a', 4, NOW + 60_000);
    expect(sendSlots.nextDueAt()).toBe(NOW);
  });

  it('is removed when nothing is due and nothing in flight', () => {
    const sendSlots = new SendSlots();
    sendSlots.wake('a', NOW);
    sendSlots.reserve(NOW, ALL);
    sendSlots.release('a', 3, Infinity);
    expect(sendSlots.size).toBe(1);
    sendSlots.finished('a', true);
    expect(sendSlots.size).toBe(0);
    expect(sendSlots.inFlight).toBe(0);
  });
});

it('serves webhooks first that were left out because the node was full', () => {
  const sendSlots = new SendSlots();
  const ids = Array.from({ length: 70 }, (_, n) => `hook ${n}`);
  for (const id of ids) sendSlots.wake(id, NOW);
  const reserved: string[] = [];
  for (let turn = 0; turn < 3; turn++)
    for (const { webhookId, slots } of sendSlots.reserve(NOW, 128)) {
      reserved.push(webhookId);
      sendSlots.release(webhookId, slots, NOW);
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
      const sendSlots = new SendSlots();
      const inFlight = new Map<string, number>();
      const total = () => [...inFlight.values()].reduce((sum, count) => sum + count, 0);
      for (const { what, webhook, used } of taken) {
        const id = `hook ${webhook}`;
        if (what === 'wake') sendSlots.wake(id, NOW);
        else if (what === 'reserve')
          for (const reservation of sendSlots.reserve(NOW, ALL)) {
            const got = Math.round(reservation.slots * used);
            inFlight.set(reservation.webhookId, (inFlight.get(reservation.webhookId) ?? 0) + got);
            sendSlots.release(reservation.webhookId, reservation.slots - got, NOW);
          }
        else if ((inFlight.get(id) ?? 0) > 0) {
          inFlight.set(id, inFlight.get(id)! - 1);
          sendSlots.finished(id, what === 'succeed');
        }
        expect(sendSlots.inFlight).toBe(total());
        expect(total()).toBeLessThanOrEqual(256);
        expect(Math.max(0, ...inFlight.values())).toBeLessThanOrEqual(16);
      }
    }),
  );
});
