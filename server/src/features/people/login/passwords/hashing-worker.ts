import { argon2Sync } from 'node:crypto';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

/** What the thread is asked for: the parameters of argon2id. */
export interface Hashing {
  readonly message: Uint8Array;
  readonly nonce: Uint8Array;
  readonly tagLength: number;
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** What it answers, in the order in which it was asked. */
export interface Hashed {
  readonly tag?: Uint8Array;
  readonly failure?: string;
}

const NICENESS = 15;

// Linux counts niceness by thread; elsewhere this would slow the whole process. Validations that
// want a core get 29 parts of 30 of it: the scheduler hands out some 4 ms at a time, and a tenth of
// a core was enough for one validation in a hundred to wait for them. Where there is a core to spare
// a login takes no longer; where there is none, a second for each that stands in line.
if (process.platform === 'linux') setPriority(0, NICENESS);

parentPort?.on('message', (hashing: Hashing) => parentPort?.postMessage(hashed(hashing)));

function hashed(hashing: Hashing): Hashed {
  try {
    return { tag: argon2Sync('argon2id', hashing) };
  } catch (error) {
    return { failure: String(error) };
  }
}
