import { argon2Sync } from 'node:crypto';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

/** The parameters of argon2id. */
export interface Hashing {
  readonly message: Uint8Array;
  readonly nonce: Uint8Array;
  readonly tagLength: number;
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** Results come in the order of the requests. */
export interface Hashed {
  readonly tag?: Uint8Array;
  readonly failure?: string;
}

const NICENESS = 15;

// On Linux niceness applies to the thread; elsewhere it would slow down the whole process. Validations
// get 29/30 of a busy core; with 9/10 (niceness 10), time slices of about 4 ms delayed some of them.
// With a free core, a sign-in is as fast as without niceness; with none, it takes about a second.
if (process.platform === 'linux') setPriority(0, NICENESS);

parentPort?.on('message', (hashing: Hashing) => parentPort?.postMessage(hashed(hashing)));

function hashed(hashing: Hashing): Hashed {
  try {
    return { tag: argon2Sync('argon2id', hashing) };
  } catch (error) {
    return { failure: String(error) };
  }
}
