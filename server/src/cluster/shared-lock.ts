/** A holder needs a few hundred nanoseconds; a sleep and a call to be woken cost many times that. */
const SPINS = 200;

const FREE = 0;
const HELD = 1;
/** Somebody sleeps until it is free. */
const AWAITED = 2;

/** A lock between threads, in one word of shared memory. Never held over an `await`. */
export function lock(words: Int32Array, at: number): void {
  for (let spin = 0; spin < SPINS; spin += 1)
    if (Atomics.compareExchange(words, at, FREE, HELD) === FREE) return;
  while (Atomics.exchange(words, at, AWAITED) !== FREE) Atomics.wait(words, at, AWAITED);
}

export function unlock(words: Int32Array, at: number): void {
  if (Atomics.exchange(words, at, FREE) === AWAITED) Atomics.notify(words, at, 1);
}
