import type { CompiledQuery } from 'kysely';
import type { Change, ChangeBus } from '../../cluster/change-bus/change-bus.ts';
import type { Actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Secrets } from '../../kernel/crypto.ts';
import type { MakeId } from '../../kernel/ids.ts';
import { insertRows, type RunScript, type Storage, type Tx } from '../../storage/index.ts';
import { type AuditEntry, auditRow } from './audit-row.ts';
import { claimCall, type Idempotency, storeAnswer } from './idempotency-store.ts';
import type { Outbox, OutgoingEvent } from './outbox.ts';

export type { AuditEntry } from './audit-row.ts';
export type { Idempotency } from './idempotency-store.ts';

/** What a change has in hand that reads nothing and so is known before its transaction begins. */
export interface Addition {
  readonly now: number;
  add(insert: CompiledQuery): void;
  /** One row in the audit log, written with the change. */
  audit(entry: AuditEntry): void;
  /** Told to subscribers when the change has committed. */
  emit(event: OutgoingEvent): void;
  /** What nodes must drop before anybody learns that the change was made. */
  affects(change: Change): void;
}

/** What any other change has in hand while it is being made. */
export interface Unit extends Omit<Addition, 'add'> {
  readonly tx: Tx;
  /** A statement whose answer the change need not wait for: others go to the database with it. */
  write(statement: Promise<unknown>): void;
  /** Deliveries of a project that becomes inactive wait; those of one that is active again go out. */
  deliveriesOf(projectId: string, then: 'hold' | 'release'): void;
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
  }

  /**
   * For a change that only adds: where the database takes scripts it is sent whole. When somebody
   * wants its event, or the call may have been answered before, it is made like any other.
   */
  async add<T>(
    actor: Actor,
    work: (addition: Addition) => T,
    idempotency?: Idempotency,
  ): Promise<T> {
    const { script } = this.#storage;
    const made = script && !idempotency ? await this.#inScript(script, actor, work) : undefined;
    return made ? made.answer : this.run(actor, this.#inTransaction(work), idempotency);
  }

  async #inScript<T>(
    run: RunScript,
    actor: Actor,
    work: (addition: Addition) => T,
  ): Promise<{ answer: T } | undefined> {
    const now = this.#clock();
    const added: CompiledQuery[] = [];
    const collected = new Collected();
    const answer = work({ ...collected.notes, now, add: (step) => void added.push(step) });
    const { audits, changes, events } = collected;
    const outgoing = this.#outbox.unheard(events, now);
    if (outgoing === null) return undefined;
    const { guards, steps } = outgoing;
    const { point } = this.#storage;
    const logged = this.#auditRows(audits, actor, now).map((row) =>
      point.insertInto('audit_log').values(row).compile(),
    );
    const isDone = await run({ guards, steps: [...added, ...logged, ...steps] });
    if (!isDone) return undefined;
    if (changes.length > 0) this.#bus.publish(changes);
    return { answer };
  }

  #inTransaction<T>(work: (addition: Addition) => T): (unit: Unit) => Promise<T> {
    return async (unit) =>
      work({
        ...unit,
        add: (insert) => unit.write(unit.tx.executeQuery(insert)),
      });
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
    return insertRows(this.#storage, tx, 'audit_log', this.#auditRows(audits, actor, now));
  }

  #auditRows(audits: readonly AuditEntry[], actor: Actor, now: number) {
    return audits.map((entry) => auditRow(entry, actor, this.#ids('aud'), now));
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

  readonly notes: Pick<Addition, 'audit' | 'emit' | 'affects'> = {
    audit: (entry) => void this.audits.push(entry),
    affects: (change) => void this.changes.push(change),
    emit: (event) => void this.events.push(event),
  };

  unit(tx: Tx, now: number): Unit {
    return {
      ...this.notes,
      tx,
      now,
      write: (statement) => {
        // Looked at when `work` is done; until then nobody listens to its failure.
        statement.catch(() => {});
        this.writes.push(statement);
      },
      deliveriesOf: (projectId, then) =>
        (then === 'hold' ? this.holds : this.releases).push(projectId),
    };
  }
}
