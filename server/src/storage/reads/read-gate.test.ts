import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { ReadCancelled, ReadsOverloaded, ReadTooSlow, StorageUnavailable } from '../errors.ts';
import { ReadGate, type ReadLimits } from './read-gate.ts';

const LIMITS: ReadLimits = { slots: 2, slotsOfAccount: 1, waitingMax: 6, shareOfWaiting: 1 / 2 };
const LATER = Number.MAX_SAFE_INTEGER;

function startGate(limits: Partial<ReadLimits> = {}) {
  const gate = new ReadGate({ ...LIMITS, ...limits });
  const started: string[] = [];
  const end = new Map<string, (error?: Error) => void>();
  /** `name` is the account followed by a number. The work ends when it is stopped, or by `end`. */
  const read = (name: string, deadlineMs = 240_000, signal?: AbortSignal) =>
    gate
      .run(
        {
          account: name[0]!,
          deadline: deadlineMs === LATER ? LATER : performance.now() + deadlineMs,
          ...(signal && { signal }),
        },
        (stop) =>
          new Promise<string>((resolve, reject) => {
            started.push(name);
            end.set(name, (error) => (error ? reject(error) : resolve(name)));
            stop.addEventListener('abort', () => reject(new Error('killed')));
          }),
      )
      .catch((error: unknown) => error);
  const finish = async (name: string) => {
    end.get(name)!();
    await setImmediate();
  };
  return { gate, started, end, read, finish };
}

it('runs reads of one account in order, and lets accounts take turns', async () => {
  const { gate, started, read, finish } = startGate({ slots: 1 });
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) void read(name);
  await setImmediate();
  expect(started).toEqual(['a1']);
  for (const name of ['a1', 'b1', 'c1', 'a2']) await finish(name);
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  expect(gate.status).toMatchObject({ running: 1, waiting: 0 });
});

it('leaves a slot to other accounts, even if nobody uses it', async () => {
  const { gate, started, read } = startGate();
  for (const name of ['a1', 'a2', 'b1', 'c1']) void read(name);
  await setImmediate();
  expect(started).toEqual(['a1', 'b1']);
  expect(gate.status).toMatchObject({ running: 2, waiting: 2 });
});

it('bounds the waiting reads of an account and of all', async () => {
  const { gate, read } = startGate();
  const refused: unknown[] = [];
  // Of six places a gets half, b half of the others, and so on.
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3', 'b4', 'c1'])
    void read(name).then((error) => refused.push(error));
  await setImmediate();
  expect(refused).toEqual([expect.any(ReadsOverloaded), expect.any(ReadsOverloaded)]);
  expect(gate.status).toMatchObject({ running: 2, waiting: 6, refused: 2 });
});

it('stops a running read at its deadline, and says of a waiting one that there was no reader', async () => {
  const { gate, read } = startGate();
  const results = await Promise.all([read('a1', 200), read('a2', 200)]);
  expect(results).toEqual([expect.any(ReadTooSlow), expect.any(ReadsOverloaded)]);
  expect(await read('a3', 0)).toBeInstanceOf(ReadTooSlow);
  expect(gate.status).toMatchObject({ running: 0, waiting: 0, timedOut: 2, refused: 1 });
});

it('gives the error of a read that failed by itself', async () => {
  const { end, read } = startGate();
  const failed = read('a1');
  await setImmediate();
  end.get('a1')!(new Error('no such table'));
  expect(await failed).toMatchObject({ message: 'no such table' });
});

it('lets a read that has just begun end by itself although its client has gone', async () => {
  const { gate, read, finish } = startGate();
  const client = new AbortController();
  const short = read('a1', 240_000, client.signal);
  await setImmediate();
  client.abort();
  await finish('a1');
  expect(await short).toBe('a1');
  const other = new AbortController();
  const long = read('a2', 240_000, other.signal);
  await setImmediate();
  other.abort();
  expect(await long).toBeInstanceOf(ReadCancelled);
  expect(gate.status).toMatchObject({ cancelled: 1, running: 0 });
});

it('starves if a read waits although its account has a share left, and shows it for a while', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const { gate, read } = startGate();
    for (const name of ['a1', 'a2', 'b1']) void read(name, LATER);
    vi.advanceTimersByTime(10_000);
    // Only the account of the slow read waits.
    expect(gate.status).toMatchObject({ oldestWaitMs: 0, isStarving: false });
    const waiting = read('c1', 5_000);
    vi.advanceTimersByTime(2_000);
    expect(gate.status).toMatchObject({ oldestWaitMs: 2_000, isStarving: false });
    vi.advanceTimersByTime(2_000);
    expect(gate.status).toMatchObject({ oldestWaitMs: 4_000, isStarving: true });
    vi.advanceTimersByTime(2_000);
    expect(await waiting).toBeInstanceOf(ReadsOverloaded);
    expect(gate.status).toMatchObject({ oldestWaitMs: 0, isStarving: true });
    vi.advanceTimersByTime(5_000);
    expect(gate.status.isStarving).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

it('closes when all reads have ended, and stops them on request', async () => {
  const { gate, read, finish } = startGate();
  const reads = ['a1', 'a2', 'b1'].map((name) => read(name));
  await setImmediate();
  let isClosed = false;
  const closing = gate.close().then(() => {
    isClosed = true;
  });
  expect(await read('c1')).toBeInstanceOf(StorageUnavailable);
  await finish('a1');
  expect(isClosed).toBe(false);
  gate.stop(new StorageUnavailable('stopping'));
  await closing;
  const reason = expect.objectContaining({ message: 'stopping' });
  expect(await Promise.all(reads)).toEqual(['a1', reason, reason]);
});
