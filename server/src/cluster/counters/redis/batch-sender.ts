import type { Shard } from './shards.ts';
import { TurnBatch } from './turn-batch.ts';

/** Checks per script call: enough to share its cost, few enough to run while more requests are read. */
const CHECKED_AT_ONCE = 16;

/** How checks of one kind are sent and decided. `C`: check, `R`: reply of Redis, `D`: decision of this node. */
export interface BatchSenderParts<C, R, D> {
  readonly shardOf: (check: C) => Shard;
  readonly send: (checks: readonly C[]) => Promise<readonly (R | Error)[]>;
  /** `isCaughtUp`: see `Shard`; the count then includes what all nodes admitted. */
  readonly onReply: (check: C, reply: R, isCaughtUp: boolean) => void;
  readonly onFailure: (shard: Shard, error: Error) => void;
  /** Redis did not count the check: decide it here, and send the count later. */
  readonly onUncounted: (check: C) => void;
  /** Redis may have counted the check: decide it here. `onLate` corrects the difference to the late reply. */
  readonly onTimeout: (check: C) => D;
  /** null: the reply was lost. */
  readonly onLate: (check: C, decision: D, reply: R | null) => void;
}

/** Sends the checks of one event-loop turn together, up to 16 at a time, and decides those without a reply. */
export class BatchSender<C, R, D> {
  readonly #parts: BatchSenderParts<C, R, D>;
  readonly #batch = new TurnBatch<C>(CHECKED_AT_ONCE, (checks) => this.#send(checks));

  constructor(parts: BatchSenderParts<C, R, D>) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#batch.size;
  }

  add(check: C): void {
    this.#batch.add(check);
  }

  flush(): void {
    this.#batch.flush();
  }

  #send(checks: readonly C[]): void {
    const shards = Map.groupBy(checks, this.#parts.shardOf);
    for (const [shard, some] of shards) this.#sendToShard(shard, some);
  }

  #sendToShard(shard: Shard, checks: readonly C[]): void {
    const { send, onReply, onFailure, onUncounted, onTimeout, onLate } = this.#parts;
    let decisions: D[];
    shard.timeouts.wait(send(checks), checks.length, {
      onReply: (replies) => {
        const { isCaughtUp } = shard;
        for (const [n, check] of checks.entries()) {
          const reply = replies[n]!;
          if (reply instanceof Error) {
            onFailure(shard, reply);
            onUncounted(check);
          } else {
            shard.onReply();
            onReply(check, reply, isCaughtUp);
          }
        }
      },
      onError: (error) => {
        for (const check of checks) {
          onFailure(shard, error);
          onUncounted(check);
        }
      },
      onTimeout: (error) => {
        decisions = checks.map((check) => {
          onFailure(shard, error);
          return onTimeout(check);
        });
      },
      onLate: (replies) => {
        for (const [n, check] of checks.entries()) {
          const reply = replies?.[n] ?? null;
          onLate(check, decisions[n]!, reply instanceof Error ? null : reply);
        }
      },
    });
  }
}
