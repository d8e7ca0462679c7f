import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../kernel/time/clock.ts';
import {
  areGrantsInUse,
  excludeOlderNodes,
  GRANTS_VERSION,
  useGrants,
} from '../storage/grants-in-use.ts';
import type { Storage } from '../storage/index.ts';

const CHECK_EVERY_MS = 10_000;
/** Longer than a node needs from its check of the schema until the other nodes see it. */
const WAIT_MS = 60_000;

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  /** The newest schema that all other nodes know. */
  readonly knownSchema: () => number;
}

/**
 * Lets pools have grants once no node of an earlier version is left:
 *
 *   older nodes run ──the last one has gone──▶ they may not start any more ──a minute──▶ grants are in use
 *
 * A node of an earlier version that had passed its check of the schema shows up within that minute, which then
 * begins again when it has gone.
 */
export class GrantsUpgrade {
  readonly #parts: Parts;
  #aloneSince: number | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    const { log } = this.#parts;
    const check = () =>
      this.check().then(
        (isDone) => isDone && this.stop(),
        (err) => log.warn({ err }, 'could not check whether older nodes are left'),
      );
    this.#timer = setInterval(check, CHECK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Resolves to true when grants are in use. */
  async check(): Promise<boolean> {
    const { storage, clock, log, knownSchema } = this.#parts;
    if (await areGrantsInUse(storage.point)) return true;
    if (knownSchema() < GRANTS_VERSION) {
      this.#aloneSince = null;
      return false;
    }
    if (this.#aloneSince === null) {
      await storage.transaction(excludeOlderNodes);
      this.#aloneSince = clock();
      return false;
    }
    if (clock() - this.#aloneSince < WAIT_MS) return false;
    await storage.transaction(useGrants);
    log.info('no older node is left: credits are kept as grants from now on');
    return true;
  }
}
