import type { Idempotency } from '../../features/changes/index.ts';
import { AlreadyCompleted, storedResponse } from '../../features/changes/index.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { Storage } from '../../storage/index.ts';

const FORM = /^[\x21-\x7e]{1,255}$/;

/** The Idempotency-Key of a request, if it has one. */
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
  // A keyed hash: the body may contain a value that is short enough to be guessed.
  return { route, key, requestHash: secrets.hashValue(JSON.stringify(content)) };
}

interface Parts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** Runs a request that creates something at most once per principal, route and key. */
export class IdempotentCalls {
  readonly #parts: Parts;
  readonly #inProgress = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `content`: everything that distinguishes this request from others of the route. */
  read(
    header: string | string[] | undefined,
    route: string,
    content: unknown,
  ): Idempotency | undefined {
    return idempotencyOf(header, route, content, this.#parts.secrets);
  }

  /** `replayed` is the response to the first request, as JSON text. */
  async run(
    principalId: string,
    idempotency: Idempotency,
    call: () => Promise<unknown>,
  ): Promise<{ result: unknown } | { replayed: string }> {
    const name = JSON.stringify([principalId, idempotency.route, idempotency.key]);
    if (this.#inProgress.has(name)) throw new KeywardError('idempotency_in_flight');
    this.#inProgress.add(name);
    try {
      const before = await this.#stored(principalId, idempotency);
      if (before !== null) return { replayed: before.body };
      return { result: await call() };
    } catch (error) {
      // Another node was faster: return its response.
      if (!(error instanceof AlreadyCompleted)) throw error;
      const completed = await this.#stored(principalId, idempotency);
      if (completed === null) throw error;
      return { replayed: completed.body };
    } finally {
      this.#inProgress.delete(name);
    }
  }

  #stored(principalId: string, idempotency: Idempotency) {
    const { storage, secrets, clock } = this.#parts;
    return storedResponse(storage, secrets, principalId, idempotency, clock());
  }
}
