import type { Idempotency } from '../features/changes/index.ts';
import { AlreadyAnswered, storedAnswer } from '../features/changes/index.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Secrets } from '../kernel/crypto.ts';
import { KeywardError } from '../kernel/errors.ts';
import type { Storage } from '../storage/index.ts';

const FORM = /^[\x21-\x7e]{1,255}$/;

/** What the header of a creating call says, if it has one. */
function idempotencyOf(
  header: string | string[] | undefined,
  route: string,
  content: unknown,
  secrets: Secrets,
): Idempotency | undefined {
  if (header === undefined) return undefined;
  const key = String(header);
  if (!FORM.test(key))
    throw new KeywardError(
      'invalid_header',
      'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.',
    );
  // With the pepper, since a body may hold a value that is short enough to be guessed.
  return { route, key, requestHash: secrets.hashValue(JSON.stringify(content)) };
}

/** Runs a creating call at most once per principal, route and key. */
export class IdempotentCalls {
  readonly #storage: Storage;
  readonly #secrets: Secrets;
  readonly #clock: Clock;
  readonly #underWay = new Set<string>();

  constructor(parts: { storage: Storage; secrets: Secrets; clock: Clock }) {
    this.#storage = parts.storage;
    this.#secrets = parts.secrets;
    this.#clock = parts.clock;
  }

  /** `content` is all that makes this call another than the next one. */
  read(
    header: string | string[] | undefined,
    route: string,
    content: unknown,
  ): Idempotency | undefined {
    return idempotencyOf(header, route, content, this.#secrets);
  }

  /** `replayed` is the answer of the call that came first, as JSON text. */
  async run(
    principalId: string,
    idempotency: Idempotency,
    call: () => Promise<unknown>,
  ): Promise<{ result: unknown } | { replayed: string }> {
    const name = JSON.stringify([principalId, idempotency.route, idempotency.key]);
    if (this.#underWay.has(name)) throw new KeywardError('idempotency_in_flight');
    this.#underWay.add(name);
    try {
      const before = await this.#stored(principalId, idempotency);
      if (before !== null) return { replayed: before.body };
      return { result: await call() };
    } catch (error) {
      // Another node was quicker: its row stands, and its answer is the one to give.
      if (!(error instanceof AlreadyAnswered)) throw error;
      const now = await this.#stored(principalId, idempotency);
      if (now === null) throw error;
      return { replayed: now.body };
    } finally {
      this.#underWay.delete(name);
    }
  }

  #stored(principalId: string, idempotency: Idempotency) {
    return storedAnswer(this.#storage, this.#secrets, principalId, idempotency, this.#clock());
  }
}
