import { stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RedisTimeouts } from './timeouts.ts';

const TIMEOUT_MS = 50;

function wait<T>(timeouts: RedisTimeouts, promise: Promise<T>) {
  const events: string[] = [];
  timeouts.wait(promise, 1, {
    onReply: () => events.push('reply'),
    onError: () => events.push('error'),
    onTimeout: () => events.push('timeout'),
    onLate: (reply) => events.push(reply === null ? 'lost' : 'late'),
  });
  return events;
}

it('reads a reply that arrived while the event loop was blocked', async () => {
  const timeouts = new RedisTimeouts(TIMEOUT_MS);
  // Completes on another thread, and is read like data from a socket.
  const reply = stat('.');
  const events = wait(timeouts, reply);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10 * TIMEOUT_MS);
  await reply;
  expect(events).toEqual(['reply']);
});

describe('with a fake clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('fails after silence, and reports the late reply', async () => {
    const reply = Promise.withResolvers<string>();
    const timeouts = new RedisTimeouts(TIMEOUT_MS);
    const events = wait(timeouts, reply.promise);
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 5);
    expect([events, timeouts.pending]).toEqual([['timeout'], 1]);
    reply.resolve('late');
    await vi.advanceTimersByTimeAsync(1);
    expect([events, timeouts.pending]).toEqual([['timeout', 'late'], 0]);
  });

  it('waits longer while other replies arrive, but not for ever', async () => {
    const timeouts = new RedisTimeouts(TIMEOUT_MS);
    const events = wait(timeouts, new Promise(() => {}));
    const moveFor = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 10) {
        timeouts.lastReplyAt = performance.now();
        await vi.advanceTimersByTimeAsync(10);
      }
    };
    await moveFor(3 * TIMEOUT_MS);
    expect(events).toEqual([]);
    await moveFor(4 * TIMEOUT_MS);
    expect(events).toEqual(['timeout']);
  });
});
