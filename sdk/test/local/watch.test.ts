import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Freshness } from '../../src/local/stream/freshness.ts';
import { Watch } from '../../src/local/stream/watch.ts';

/** The server side of one stream; the test sets its clock. */
class ServerStream {
  readonly cursor: string | null;
  readonly signal: AbortSignal;
  readonly response: Response;
  startedAt = 0;
  #controller!: ReadableStreamDefaultController<Uint8Array>;

  constructor(signal: AbortSignal, cursor: string | null) {
    this.signal = signal;
    this.cursor = cursor;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
    });
    signal.addEventListener('abort', () => this.#controller.error(new Error('aborted')));
    this.response = new Response(body);
  }

  async send(event: string, data: object, id?: string): Promise<void> {
    vi.advanceTimersByTime(1);
    if (event === 'reset') this.startedAt = performance.now();
    const text = `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    this.#controller.enqueue(new TextEncoder().encode(text));
    await settled();
  }

  async end(): Promise<void> {
    this.#controller.close();
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

let streams: ServerStream[];
let changed: string[];
let resets: number;
let freshness: Freshness;
let watch: Watch;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  streams = [];
  changed = [];
  resets = 0;
  freshness = new Freshness();
  watch = new Watch({
    freshness,
    request: async (signal, cursor) => {
      streams.push(new ServerStream(signal, cursor));
      return streams.at(-1)!.response;
    },
    onChange: (id) => changed.push(id),
    onReset: () => resets++,
    onProblem: () => {},
  });
  watch.start();
  await settled();
  await streams[0]!.send('reset', { at: 1_000, now: 1_000 }, 'a.0');
});
afterEach(() => {
  watch.close();
  vi.useRealTimers();
});

/** Advances the time, with beats on the first stream, until a second stream is requested. */
async function secondStream(): Promise<void> {
  for (let n = 0; streams.length === 1; n++) {
    vi.advanceTimersByTime(2_000);
    await streams[0]!.send('beat', { at: 1_000 + n / 1_000 });
  }
}
const isFresh = () => freshness.isFresh(performance.now());

it('starts with an empty cache, and is fresh once the server has sent its time', async () => {
  await watch.started;
  expect([resets, isFresh()]).toEqual([1, true]);
  expect(streams[0]!.cursor).toBeNull();
  await streams[0]!.send('change', { keyId: 'key_1' }, 'a.1');
  expect(changed).toEqual(['key_1']);
});

describe('with a second stream', () => {
  it('a stream that resumes at the cursor of the first takes over immediately', async () => {
    await streams[0]!.send('change', { keyId: 'key_1' }, 'a.1');
    await secondStream();
    expect(streams[1]!.cursor).toBe('a.1');
    await streams[1]!.send('resumed', { at: 5, now: 5 }, 'a.1');
    expect(streams[0]!.signal.aborted).toBe(true);
    await streams[1]!.send('change', { keyId: 'key_2' }, 'a.2');
    expect([changed, resets]).toEqual([['key_1', 'key_2'], 1]);
  });

  it('a stream of another node takes over when the first is complete up to the start of the second', async () => {
    await secondStream();
    await streams[1]!.send('reset', { at: 7, now: 7 }, 'b.0');
    await streams[1]!.send('change', { keyId: 'key_2' }, 'b.1');
    await streams[0]!.send('beat', { at: 1_000.5 });
    // Changes of both streams are applied; only the times of the first count.
    expect([changed, streams[0]!.signal.aborted]).toEqual([['key_2'], false]);
    await streams[0]!.send('beat', { at: 1_000 + 3_600_000 });
    expect([streams[0]!.signal.aborted, resets]).toEqual([true, 1]);
    expect(streams[1]!.signal.aborted).toBe(false);
  });

  it('a stream of another node takes over from one that has lost contact, with an empty cache', async () => {
    await secondStream();
    await streams[1]!.send('reset', { at: 7, now: 7 }, 'b.0');
    await streams[0]!.send('beat', { at: 1_000.5 });
    expect([isFresh(), streams[0]!.signal.aborted]).toEqual([false, false]);
    await streams[1]!.send('beat', { at: 3_600_007 });
    expect([isFresh(), resets]).toEqual([true, 2]);
    expect(streams.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    // The response to a request that was sent before the second stream started may lack a change that the
    // first did not send.
    const [from, now] = [streams[1]!.startedAt, performance.now()];
    expect(freshness.mayCache(from - 1, now, 'key_1')).toBe(false);
    expect(freshness.mayCache(from, now, 'key_1')).toBe(true);
  });

  it('a stream of a node that has lost contact does not take over', async () => {
    await secondStream();
    await streams[1]!.send('reset', { at: 7, now: 10_007 }, 'b.0');
    await streams[1]!.send('beat', { at: 8 });
    expect([resets, streams[0]!.signal.aborted]).toEqual([1, false]);
  });

  it('heartbeats of the second do not keep the cache fresh while the first is only slightly behind', async () => {
    await secondStream();
    await streams[0]!.send('beat', { at: 1_000 + 3_600_000 });
    await streams[1]!.send('reset', { at: 7, now: 7 }, 'b.0');
    vi.advanceTimersByTime(2_000);
    await streams[1]!.send('beat', { at: 3_600_007 });
    expect([isFresh(), resets, streams[0]!.signal.aborted]).toEqual([false, 1, false]);
    await streams[0]!.send('beat', { at: 1_000 + 3_600_001 });
    expect([isFresh(), resets, streams[0]!.signal.aborted]).toEqual([true, 1, true]);
  });

  it('the cache is reset if the first stream ends before it is complete up to the second', async () => {
    await secondStream();
    await streams[1]!.send('reset', { at: 7, now: 7 }, 'b.0');
    await streams[0]!.end();
    expect(resets).toBe(2);
    expect([streams.length, streams[1]!.signal.aborted]).toEqual([2, false]);
    await streams[1]!.send('beat', { at: 3_600_007 });
    expect(isFresh()).toBe(true);
  });
});

it('reconnects with its cursor, and keeps the cache only if the stream resumes', async () => {
  await streams[0]!.send('change', { keyId: 'key_1' }, 'a.1');
  await streams[0]!.end();
  vi.advanceTimersByTime(100);
  await settled();
  expect(streams[1]!.cursor).toBe('a.1');
  await streams[1]!.send('change', { keyId: 'key_2' }, 'a.2');
  await streams[1]!.send('resumed', { at: 5, now: 5 }, 'a.2');
  expect([changed, resets]).toEqual([['key_1', 'key_2'], 1]);
  await streams[1]!.end();
  vi.advanceTimersByTime(100);
  await settled();
  await streams[2]!.send('reset', { at: 1, now: 1 }, 'c.0');
  expect(resets).toBe(2);
});

it('a change of an unknown kind, from a newer server, clears the cache, which is fresh again after the next beat', async () => {
  await streams[0]!.send('change', { regionId: 'reg_1' }, 'a.1');
  expect([changed, resets, isFresh()]).toEqual([[], 2, false]);
  await streams[0]!.send('beat', { at: 1_001 });
  expect([resets, isFresh()]).toEqual([2, true]);
  // A response to an earlier request may not reflect the change.
  expect(freshness.mayCache(0, performance.now(), 'key_1')).toBe(false);
});

it('starts over after the machine slept', async () => {
  vi.setSystemTime(Date.now() + 60_000);
  await streams[0]!.send('beat', { at: 61_000 });
  expect([resets, isFresh(), streams[0]!.signal.aborted]).toEqual([2, false, true]);
  expect(streams.map(({ cursor }) => cursor)).toEqual([null, null]);
  await streams[1]!.send('reset', { at: 61_000, now: 61_000 }, 'a.0');
  expect(isFresh()).toBe(true);
});

it('a time of the server that is in the future counts as the present', async () => {
  await streams[0]!.send('beat', { at: 61_000 });
  expect(freshness.isFresh(performance.now() + 1_100)).toBe(false);
});

it('reconnects when the server is silent', async () => {
  vi.advanceTimersByTime(3_000);
  await settled();
  expect(streams[0]!.signal.aborted).toBe(true);
  vi.advanceTimersByTime(100);
  await settled();
  expect(streams).toHaveLength(2);
});
