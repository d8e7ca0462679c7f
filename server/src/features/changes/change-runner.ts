import type { Change, ChangeBus } from '../../cluster/change-bus.ts';
import type { Actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Secrets } from '../../kernel/crypto.ts';
import type { MakeId } from '../../kernel/ids.ts';
import type { Storage, Tx } from '../../storage/index.ts';
import { type AuditEntry, auditRow } from './audit-row.ts';
import { type Idempotency, storeAnswer } from './idempotency-store.ts';

export type { AuditEntry } from './audit-row.ts';
export type { Idempotency } from './idempotency-store.ts';

/** What a change has in hand while it is being made. */
export interface Unit {
  readonly tx: Tx;
  readonly now: number;
  /** One row in the audit log, written with the change. */
  audit(entry: AuditEntry): void;
  /** What nodes must drop before anybody learns that the change was made. */
  affects(change: Change): void;
}

/**
 * The one way to change anything: rows, audit rows and the stored answer of an idempotent call in
 * one transaction, then every node's memory, and only then the caller's answer.
 */
export class ChangeRunner {
  readonly #storage: Storage;
  readonly #bus: ChangeBus;
  readonly #secrets: Secrets;
  readonly #ids: MakeId;
  readonly #clock: Clock;

  constructor(parts: {
    storage: Storage;
    bus: ChangeBus;
    secrets: Secrets;
    ids: MakeId;
    clock: Clock;
  }) {
    this.#storage = parts.storage;
    this.#bus = parts.bus;
    this.#secrets = parts.secrets;
    this.#ids = parts.ids;
    this.#clock = parts.clock;
  }

  /** `idempotency` is given by calls that create: then what `work` returns is the answer kept. */
  async run<T>(
    actor: Actor,
    work: (unit: Unit) => Promise<T>,
    idempotency?: Idempotency,
  ): Promise<T> {
    const changes: Change[] = [];
    const result = await this.#storage.transaction(async (tx) => {
      changes.length = 0;
      const now = this.#clock();
      const audits: AuditEntry[] = [];
      const answer = await work({
        tx,
        now,
        audit: (entry) => audits.push(entry),
        affects: (change) => changes.push(change),
      });
      const writes: Promise<unknown>[] = [];
      if (audits.length > 0) {
        const rows = audits.map((entry) => auditRow(entry, actor, this.#ids('aud'), now));
        writes.push(tx.insertInto('audit_log').values(rows).execute());
      }
      if (idempotency) writes.push(storeAnswer(tx, this.#secrets, actor, idempotency, answer, now));
      await Promise.all(writes);
      return answer;
    });
    if (changes.length > 0) this.#bus.publish(changes);
    return result;
  }
}
