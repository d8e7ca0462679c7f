/** A holder needs a few hundred nanoseconds; a sleep and a call to be woken cost many times that. */
const SPINS = 200;

const FREE = 0;
const HELD = 1;
/** Somebody sleeps until it is free. */
const AWAITED = 2;

/** A thousand times longer than anybody holds it: who has it so long has died with it. */
const PATIENCE_MS = 5_000;

/**
 * A lock between threads, in one word of shared memory. Never held over an `await`. It throws where it
 * will never be free again: a thread that waited for ever could not even see that the other has died.
 */
export function lock(words: Int32Array, at: number, patienceMs = PATIENCE_MS): void {
  for (let spin = 0; spin < SPINS; spin += 1)
    if (Atomics.compareExchange(words, at, FREE, HELD) === FREE) return;
  while (Atomics.exchange(words, at, AWAITED) !== FREE)
    if (Atomics.wait(words, at, AWAITED, patienceMs) === 'timed-out')
      throw new Error('A thread took the memory of rate limits and did not give it back.');
}

export function unlock(words: Int32Array, at: number): void {
  if (Atomics.exchange(words, at, FREE) === AWAITED) Atomics.notify(words, at, 1);
}
