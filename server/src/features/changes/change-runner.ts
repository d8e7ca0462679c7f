import type { Change, ChangeBus } from '../../cluster/change-bus.ts';
import type { Actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Secrets } from '../../kernel/crypto.ts';
import type { MakeId } from '../../kernel/ids.ts';
import { type Inserter, inserterOf, type Storage, type Tx } from '../../storage/index.ts';
import { type AuditEntry, auditRow } from './audit-row.ts';
import { claimCall, type Idempotency, storeAnswer } from './idempotency-store.ts';
import type { Outbox, OutgoingEvent } from './outbox.ts';

export type { AuditEntry } from './audit-row.ts';
export type { Idempotency } from './idempotency-store.ts';

/** What a change has in hand while it is being made. */
export interface Unit {
  readonly tx: Tx;
  readonly now: number;
  /** A statement whose answer the change need not wait for: others go to the database with it. */
  write(statement: Promise<unknown>): void;
  /** One row in the audit log, written with the change. */
  audit(entry: AuditEntry): void;
  /** Told to subscribers when the change has committed. */
  emit(event: OutgoingEvent): void;
  /** Deliveries of a project that becomes inactive wait; those of one that is active again go out. */
  deliveriesOf(projectId: string, then: 'hold' | 'release'): void;
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
  readonly #outbox: Outbox;
  readonly #secrets: Secrets;
  readonly #ids: MakeId;
  readonly #clock: Clock;
  readonly #insertLog: Inserter<'audit_log'>;

  constructor(parts: {
    storage: Storage;
    bus: ChangeBus;
    outbox: Outbox;
    secrets: Secrets;
    ids: MakeId;
    clock: Clock;
  }) {
    this.#storage = parts.storage;
    this.#bus = parts.bus;
    this.#outbox = parts.outbox;
    this.#secrets = parts.secrets;
    this.#ids = parts.ids;
    this.#clock = parts.clock;
    this.#insertLog = inserterOf(parts.storage, 'audit_log');
  }

  /** `idempotency` is given by calls that create: then what `work` returns is the answer kept. */
  async run<T>(
    actor: Actor,
    work: (unit: Unit) => Promise<T>,
    idempotency?: Idempotency,
  ): Promise<T> {
    let changes: Change[] = [];
    let woken: readonly string[] = [];
    const result = await this.#storage.transaction(async (tx) => {
      const now = this.#clock();
      const collected = new Collected();
      if (idempotency) await claimCall(this.#storage, tx, actor, idempotency, now);
      const answer = await work(collected.unit(tx, now));
      const { audits } = collected;
      changes = collected.changes;
      const writes: Promise<unknown>[] = [...collected.writes];
      if (audits.length > 0) writes.push(this.#log(tx, audits, actor, now));
      if (changes.length > 0) writes.push(this.#bus.announce(tx, changes));
      if (idempotency) writes.push(storeAnswer(tx, this.#secrets, actor, idempotency, answer, now));
      const outgoing = this.#outgoing(tx, collected, now);
      await Promise.all([...writes, outgoing]);
      woken = await outgoing;
      return answer;
    });
    if (changes.length > 0) this.#bus.publish(changes);
    this.#outbox.wake(woken);
    return result;
  }

  #log(tx: Tx, audits: readonly AuditEntry[], actor: Actor, now: number): Promise<void> {
    const rows = audits.map((entry) => auditRow(entry, actor, this.#ids('aud'), now));
    return this.#insertLog(tx, rows);
  }

  async #outgoing(tx: Tx, collected: Collected, now: number): Promise<readonly string[]> {
    const { events, holds, releases } = collected;
    const woken: string[] = [];
    if (events.length > 0) woken.push(...(await this.#outbox.write(tx, events, now)));
    for (const projectId of holds) await this.#outbox.hold(tx, projectId, now);
    for (const projectId of releases)
      woken.push(...(await this.#outbox.release(tx, projectId, now)));
    return woken;
  }
}

/** What one run of `work` asked for. */
class Collected {
  readonly writes: Promise<unknown>[] = [];
  readonly audits: AuditEntry[] = [];
  readonly changes: Change[] = [];
  readonly events: OutgoingEvent[] = [];
  readonly holds: string[] = [];
  readonly releases: string[] = [];

  unit(tx: Tx, now: number): Unit {
    return {
      tx,
      now,
      write: (statement) => {
        // Looked at when `work` is done; until then nobody listens to its failure.
        statement.catch(() => {});
        this.writes.push(statement);
      },
      audit: (entry) => this.audits.push(entry),
      affects: (change) => this.changes.push(change),
      emit: (event) => this.events.push(event),
      deliveriesOf: (projectId, then) =>
        (then === 'hold' ? this.holds : this.releases).push(projectId),
    };
  }
}
