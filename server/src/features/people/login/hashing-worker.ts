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

const NICENESS = 10;

// Linux counts niceness by thread; elsewhere this would slow the whole process. Validations that
// want a core get nine tenths of it (measured: one half without this), and where there is a core to
// spare a login takes no longer.
if (process.platform === 'linux') setPriority(0, NICENESS);

parentPort?.on('message', (hashing: Hashing) => parentPort?.postMessage(hashed(hashing)));

function hashed(hashing: Hashing): Hashed {
  try {
    return { tag: argon2Sync('argon2id', hashing) };
  } catch (error) {
    return { failure: String(error) };
  }
}
