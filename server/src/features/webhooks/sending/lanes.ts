/** What one webhook may have under way at once; a node carries at most `NODE_PLACES` together. */
export const PLACES_MAX = 16;
const NODE_PLACES = 256;
/** A receiver nobody has heard from yet may hang: it begins small and grows with each success. */
const PLACES_AT_FIRST = 4;
/** Webhooks asked in one claim: the writer is held no longer than a few statements take. */
const ASKS_MAX = 32;

export interface Ask {
  readonly webhookId: string;
  readonly places: number;
}

interface Lane {
  readonly webhookId: string;
  /** No delivery of it can be claimed before this; Infinity when none is known. */
  nextDueAt: number;
  /** Places that are taken, those asked for in a claim under way included. */
  inFlight: number;
  /** Shrinks with failures: a dead receiver holds one place, not sixteen. */
  places: number;
}

/**
 * The webhooks that have something to send, each in a lane of its own, so that one that hangs
 * fills its own lane and nobody else's. Only times and counts: what waits stays in the database.
 *
 *   unknown ──wake──▶ waiting (nextDueAt) ──ask──▶ asked ──claimed──▶ waiting, with places taken
 *      ▲                                                                      │
 *      └──────── nothing due and nothing in flight ◀──────── finished ────────┘
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  #inFlight = 0;

  get inFlight(): number {
    return this.#inFlight;
  }

  get size(): number {
    return this.#lanes.size;
  }

  wake(webhookId: string, dueAt: number): void {
    const lane = this.#lanes.get(webhookId);
    if (lane !== undefined) lane.nextDueAt = Math.min(lane.nextDueAt, dueAt);
    else {
      const places = PLACES_AT_FIRST;
      this.#lanes.set(webhookId, { webhookId, nextDueAt: dueAt, inFlight: 0, places });
    }
  }

  /**
   * Takes places for lanes that are due. Whoever got some goes to the end, so that when the node
   * is full those left out come first. A wake that arrives while the claim is under way counts.
   */
  ask(now: number, allowance: number): Ask[] {
    const asks: Ask[] = [];
    const asked: Lane[] = [];
    let free = Math.min(NODE_PLACES - this.#inFlight, allowance);
    for (const lane of this.#lanes.values()) {
      if (free <= 0 || asks.length === ASKS_MAX) break;
      const places = Math.min(lane.places - lane.inFlight, free);
      if (lane.nextDueAt > now || places <= 0) continue;
      asks.push({ webhookId: lane.webhookId, places });
      asked.push(lane);
      lane.nextDueAt = Infinity;
      free -= places;
      this.#take(lane, places);
    }
    for (const lane of asked) {
      this.#lanes.delete(lane.webhookId);
      this.#lanes.set(lane.webhookId, lane);
    }
    return asks;
  }

  /** `unused` places come back; `nextDueAt` is when to ask again, as far as the database knows. */
  asked(webhookId: string, unused: number, nextDueAt: number): void {
    const lane = this.#lanes.get(webhookId)!;
    this.#take(lane, -unused);
    lane.nextDueAt = Math.min(lane.nextDueAt, nextDueAt);
    this.#dropIdle(lane);
  }

  finished(webhookId: string, succeeded: boolean): void {
    const lane = this.#lanes.get(webhookId)!;
    this.#take(lane, -1);
    lane.places = succeeded
      ? Math.min(lane.places + 1, PLACES_MAX)
      : Math.max(Math.floor(lane.places / 2), 1);
    this.#dropIdle(lane);
  }

  /** When the next claim makes sense; lanes that are full are asked again when they have finished. */
  nextDueAt(): number {
    if (this.#inFlight >= NODE_PLACES) return Infinity;
    let next = Infinity;
    for (const lane of this.#lanes.values())
      if (lane.inFlight < lane.places) next = Math.min(next, lane.nextDueAt);
    return next;
  }

  #take(lane: Lane, places: number): void {
    lane.inFlight += places;
    this.#inFlight += places;
  }

  #dropIdle(lane: Lane): void {
    if (lane.inFlight === 0 && lane.nextDueAt === Infinity) this.#lanes.delete(lane.webhookId);
  }
}
