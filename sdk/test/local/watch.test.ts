import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Knowledge } from '../../src/local/knowledge.ts';
import { Watch } from '../../src/local/watch.ts';

/** A server's side of one stream, whose clock the test sets. */
class Told {
  readonly cursor: string | null;
  readonly signal: AbortSignal;
  readonly response: Response;
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

  async say(event: string, data: object, id?: string): Promise<void> {
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

let told: Told[];
let changed: string[];
let resets: number;
let knowledge: Knowledge;
let watch: Watch;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  told = [];
  changed = [];
  resets = 0;
  knowledge = new Knowledge();
  watch = new Watch({
    knowledge,
    request: async (signal, cursor) => {
      told.push(new Told(signal, cursor));
      return told.at(-1)!.response;
    },
    onChange: (id) => changed.push(id),
    onReset: () => resets++,
    onProblem: () => {},
  });
  watch.start();
  await settled();
  await told[0]!.say('reset', { at: 1_000, now: 1_000 }, 'a.0');
});
afterEach(() => {
  watch.close();
  vi.useRealTimers();
});

/** Time passes, in which the stream is not silent, until a second one is asked for. */
async function minute(): Promise<void> {
  for (let n = 0; told.length === 1; n++) {
    vi.advanceTimersByTime(2_000);
    await told[0]!.say('beat', { at: 1_000 + n / 1_000 });
  }
}
const isFresh = () => knowledge.isFresh(performance.now());

it('begins with nothing, and believes what is stated', async () => {
  await watch.begun;
  expect([resets, isFresh()]).toEqual([1, true]);
  expect(told[0]!.cursor).toBeNull();
  await told[0]!.say('change', { keyId: 'key_1' }, 'a.1');
  expect(changed).toEqual(['key_1']);
});

describe('after a minute', () => {
  it('a stream that goes on where the first one is takes over at once', async () => {
    await told[0]!.say('change', { keyId: 'key_1' }, 'a.1');
    await minute();
    expect(told[1]!.cursor).toBe('a.1');
    await told[1]!.say('resumed', { at: 5, now: 5 }, 'a.1');
    expect(told[0]!.signal.aborted).toBe(true);
    await told[1]!.say('change', { keyId: 'key_2' }, 'a.2');
    expect([changed, resets]).toEqual([['key_1', 'key_2'], 1]);
  });

  it('a stream of another node takes over when the first has told all from before it', async () => {
    await minute();
    await told[1]!.say('reset', { at: 7, now: 7 }, 'b.0');
    await told[1]!.say('change', { keyId: 'key_2' }, 'b.1');
    await told[0]!.say('beat', { at: 1_000.5 });
    // Both are heeded, and only the first is believed.
    expect([changed, told[0]!.signal.aborted]).toEqual([['key_2'], false]);
    await told[0]!.say('beat', { at: 1_000 + 3_600_000 });
    expect([told[0]!.signal.aborted, resets]).toEqual([true, 1]);
    expect(told[1]!.signal.aborted).toBe(false);
  });

  it('what the second cannot vouch for is forgotten when the first ends too soon', async () => {
    await minute();
    await told[1]!.say('reset', { at: 7, now: 7 }, 'b.0');
    await told[0]!.end();
    expect(resets).toBe(2);
    expect([told.length, told[1]!.signal.aborted]).toEqual([2, false]);
    expect(isFresh()).toBe(true);
  });
});

it('comes back with its cursor after a cut, and keeps what it knows only if it is resumed', async () => {
  await told[0]!.say('change', { keyId: 'key_1' }, 'a.1');
  await told[0]!.end();
  vi.advanceTimersByTime(100);
  await settled();
  expect(told[1]!.cursor).toBe('a.1');
  await told[1]!.say('change', { keyId: 'key_2' }, 'a.2');
  await told[1]!.say('resumed', { at: 5, now: 5 }, 'a.2');
  expect([changed, resets]).toEqual([['key_1', 'key_2'], 1]);
  await told[1]!.end();
  vi.advanceTimersByTime(100);
  await settled();
  await told[2]!.say('reset', { at: 1, now: 1 }, 'c.0');
  expect(resets).toBe(2);
});

it('gives a silent server up', async () => {
  vi.advanceTimersByTime(3_000);
  await settled();
  expect(told[0]!.signal.aborted).toBe(true);
  vi.advanceTimersByTime(100);
  await settled();
  expect(told).toHaveLength(2);
});
