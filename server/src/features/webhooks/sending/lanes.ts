/** Concurrent attempts of one webhook. All webhooks of a node together have `NODE_SLOTS`. */
export const SLOTS_MAX = 16;
const NODE_SLOTS = 256;
/** A new receiver may hang, so it starts with few slots and gains one with each success. */
const INITIAL_SLOTS = 4;
/** Webhooks in one claim, so that its transaction stays short. */
const RESERVATIONS_MAX = 32;

export interface SlotReservation {
  readonly webhookId: string;
  readonly slots: number;
}

interface Lane {
  readonly webhookId: string;
  /** No delivery can be claimed before this; Infinity if none is known. */
  nextDueAt: number;
  /** Slots in use, including those reserved for a claim in progress. */
  inFlight: number;
  /** Halved with each failure, so that a dead receiver occupies one slot and not sixteen. */
  slots: number;
}

/**
 * The webhooks with something to send. Each has its own lane, so that a receiver that hangs does not
 * delay others. Lanes hold times and counts only; the deliveries are in the database.
 *
 *   absent ──wake──▶ waiting (nextDueAt) ──reserve──▶ claiming ──release──▶ waiting, with slots in use
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
      const slots = INITIAL_SLOTS;
      this.#lanes.set(webhookId, { webhookId, nextDueAt: dueAt, inFlight: 0, slots });
    }
  }

  /**
   * Reserves slots for lanes that are due and moves those lanes to the end, so that lanes left out
   * because the node was full come first the next time. A wake during the claim is not lost.
   */
  reserve(now: number, allowance: number): SlotReservation[] {
    const reservations: SlotReservation[] = [];
    const reserved: Lane[] = [];
    let free = Math.min(NODE_SLOTS - this.#inFlight, allowance);
    for (const lane of this.#lanes.values()) {
      if (free <= 0 || reservations.length === RESERVATIONS_MAX) break;
      const slots = Math.min(lane.slots - lane.inFlight, free);
      if (lane.nextDueAt > now || slots <= 0) continue;
      reservations.push({ webhookId: lane.webhookId, slots });
      reserved.push(lane);
      lane.nextDueAt = Infinity;
      free -= slots;
      this.#take(lane, slots);
    }
    for (const lane of reserved) {
      this.#lanes.delete(lane.webhookId);
      this.#lanes.set(lane.webhookId, lane);
    }
    return reservations;
  }

  /** Returns unused slots. `nextDueAt`: when the next delivery is due, according to the database. */
  release(webhookId: string, unused: number, nextDueAt: number): void {
    const lane = this.#lanes.get(webhookId)!;
    this.#take(lane, -unused);
    lane.nextDueAt = Math.min(lane.nextDueAt, nextDueAt);
    this.#dropIdle(lane);
  }

  finished(webhookId: string, succeeded: boolean): void {
    const lane = this.#lanes.get(webhookId)!;
    this.#take(lane, -1);
    lane.slots = succeeded
      ? Math.min(lane.slots + 1, SLOTS_MAX)
      : Math.max(Math.floor(lane.slots / 2), 1);
    this.#dropIdle(lane);
  }

  /** When to claim next. Full lanes are skipped: a finished attempt triggers the next claim. */
  nextDueAt(): number {
    if (this.#inFlight >= NODE_SLOTS) return Infinity;
    let next = Infinity;
    for (const lane of this.#lanes.values())
      if (lane.inFlight < lane.slots) next = Math.min(next, lane.nextDueAt);
    return next;
  }

  #take(lane: Lane, slots: number): void {
    lane.inFlight += slots;
    this.#inFlight += slots;
  }

  #dropIdle(lane: Lane): void {
    if (lane.inFlight === 0 && lane.nextDueAt === Infinity) this.#lanes.delete(lane.webhookId);
  }
}
