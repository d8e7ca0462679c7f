import type { ChangeFeed } from '../../cluster/change-bus/change-bus.ts';

const SLOTS = 65_536;
/** The slot of a missing plan or customer. Its count is always 0. */
const NO_SLOT = SLOTS;

/** The slots of a key, and the sum of their counts when the key was read. */
export interface KeySlots {
  readonly planSlot: number;
  readonly customerSlot: number;
  readonly sumWhenRead: number;
}

/**
 * Counts the changes of plans and customers, in a table of fixed size: a hash of the id selects the slot.
 * A cached key is outdated if the counts of its slots have changed since it was read. So a change costs
 * one addition, however many keys it concerns. If two ids share a slot, some keys are read again in vain.
 */
export class ChangeCounts {
  readonly #counts = new Uint32Array(SLOTS + 1);

  /** Create this before the caches: changes must be counted before anything is read again. */
  constructor(bus: ChangeFeed) {
    bus.subscribe((changes) => {
      for (const change of changes)
        if (change.kind === 'plan') this.#counts[slotOf(change.id)]!++;
        else if (change.kind === 'customer') this.#counts[slotOf(change.group)]!++;
    });
  }

  /** `customer`: the result of `customerGroup`. */
  slotsOfKey(planId: string | null, customer: string | null): KeySlots {
    const planSlot = planId === null ? NO_SLOT : slotOf(planId);
    const customerSlot = customer === null ? NO_SLOT : slotOf(customer);
    return { planSlot, customerSlot, sumWhenRead: this.sum(planSlot, customerSlot) };
  }

  sum(planSlot: number, customerSlot: number): number {
    return this.#counts[planSlot]! + this.#counts[customerSlot]!;
  }
}

/** FNV-1a, which distributes ids evenly enough and needs no allocation. */
function slotOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < id.length; n++) hash = Math.imul(hash ^ id.charCodeAt(n), 0x01000193);
  return ((hash >>> 16) ^ hash) & (SLOTS - 1);
}
