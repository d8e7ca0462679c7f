import { randomBytes, timingSafeEqual } from 'node:crypto';
import { KeywardError } from '../../../../kernel/errors.ts';
import { HashingThread } from './hashing-thread.ts';

/** OWASP's recommendation for argon2id: 19 MiB, two passes; about 30 ms of one core. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const SALT_BYTES = 16;

/**
 * Hashes passwords one at a time in a low-priority thread, so that many sign-ins do not slow validations
 * down. If too many wait, further calls fail with `overloaded`.
 */
export class PasswordHasher {
  readonly #waitingMax: number;
  readonly #thread = new HashingThread();
  #waiting = 0;

  constructor(waitingMax = 200) {
    this.#waitingMax = waitingMax;
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const tag = await this.#derive(password, salt, COST);
    const { memory, passes, parallelism } = COST;
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`;
  }

  async verify(stored: string, password: string): Promise<boolean> {
    const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored);
    if (form === null) return false;
    const [, memory, passes, parallelism, salt, tag] = form;
    const cost = { memory: +memory!, passes: +passes!, parallelism: +parallelism! };
    const expected = Buffer.from(tag!, 'base64');
    const given = await this.#derive(password, Buffer.from(salt!, 'base64'), cost);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  async #derive(password: string, nonce: Buffer, cost: typeof COST): Promise<Buffer> {
    if (this.#waiting >= this.#waitingMax)
      throw new KeywardError('overloaded', undefined, { headers: ['Retry-After', '5'] });
    this.#waiting++;
    const message = Buffer.from(password.normalize('NFC'));
    return this.#thread
      .hash({ message, nonce, tagLength: TAG_BYTES, ...cost })
      .finally(() => this.#waiting--);
  }
}

const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
