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

interface WebhookSlots {
  readonly webhookId: string;
  /** No delivery can be claimed before this; Infinity if none is known. */
  nextDueAt: number;
  /** Slots in use, including those reserved for a claim in progress. */
  inFlight: number;
  /** Halved with each failure, so that a dead receiver occupies one slot and not sixteen. */
  slots: number;
}

/**
 * The webhooks with something to send. Each has its own slots, so that a receiver that hangs does not
 * delay others. Only times and counts are kept here; the deliveries are in the database.
 *
 *   absent ──wake──▶ waiting (nextDueAt) ──reserve──▶ claiming ──release──▶ waiting, with slots in use
 *      ▲                                                                      │
 *      └──────── nothing due and nothing in flight ◀──────── finished ────────┘
 */
export class SendSlots {
  readonly #webhooks = new Map<string, WebhookSlots>();
  #inFlight = 0;

  get inFlight(): number {
    return this.#inFlight;
  }

  get size(): number {
    return this.#webhooks.size;
  }

  wake(webhookId: string, dueAt: number): void {
    const webhook = this.#webhooks.get(webhookId);
    if (webhook !== undefined) webhook.nextDueAt = Math.min(webhook.nextDueAt, dueAt);
    else {
      const slots = INITIAL_SLOTS;
      this.#webhooks.set(webhookId, { webhookId, nextDueAt: dueAt, inFlight: 0, slots });
    }
  }

  /**
   * Reserves slots for webhooks that are due and moves those webhooks to the end, so that webhooks left out
   * because the node was full come first the next time. A wake during the claim is not lost.
   */
  reserve(now: number, allowance: number): SlotReservation[] {
    const reservations: SlotReservation[] = [];
    const reserved: WebhookSlots[] = [];
    let free = Math.min(NODE_SLOTS - this.#inFlight, allowance);
    for (const webhook of this.#webhooks.values()) {
      if (free <= 0 || reservations.length === RESERVATIONS_MAX) break;
      const slots = Math.min(webhook.slots - webhook.inFlight, free);
      if (webhook.nextDueAt > now || slots <= 0) continue;
      reservations.push({ webhookId: webhook.webhookId, slots });
      reserved.push(webhook);
      webhook.nextDueAt = Infinity;
      free -= slots;
      this.#take(webhook, slots);
    }
    for (const webhook of reserved) {
      this.#webhooks.delete(webhook.webhookId);
      this.#webhooks.set(webhook.webhookId, webhook);
    }
    return reservations;
  }

  /** Returns unused slots. `nextDueAt`: when the next delivery is due, according to the database. */
  release(webhookId: string, unused: number, nextDueAt: number): void {
    const webhook = this.#webhooks.get(webhookId)!;
    this.#take(webhook, -unused);
    webhook.nextDueAt = Math.min(webhook.nextDueAt, nextDueAt);
    this.#dropIdle(webhook);
  }

  finished(webhookId: string, succeeded: boolean): void {
    const webhook = this.#webhooks.get(webhookId)!;
    this.#take(webhook, -1);
    webhook.slots = succeeded
      ? Math.min(webhook.slots + 1, SLOTS_MAX)
      : Math.max(Math.floor(webhook.slots / 2), 1);
    this.#dropIdle(webhook);
  }

  /** When to claim next. Webhooks without a free slot are skipped: a finished attempt triggers the next claim. */
  nextDueAt(): number {
    if (this.#inFlight >= NODE_SLOTS) return Infinity;
    let next = Infinity;
    for (const webhook of this.#webhooks.values())
      if (webhook.inFlight < webhook.slots) next = Math.min(next, webhook.nextDueAt);
    return next;
  }

  #take(webhook: WebhookSlots, slots: number): void {
    webhook.inFlight += slots;
    this.#inFlight += slots;
  }

  #dropIdle(webhook: WebhookSlots): void {
    if (webhook.inFlight === 0 && webhook.nextDueAt === Infinity)
      this.#webhooks.delete(webhook.webhookId);
  }
}
