import type { CompiledQuery } from 'kysely';
import type { Change, ChangeBus } from '../../cluster/change-bus/change-bus.ts';
import type { Actor } from '../../kernel/actor.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import {
  allowedOnFullDisk,
  insertRows,
  type RunScript,
  type Storage,
  type Tx,
} from '../../storage/index.ts';
import { type AuditActor, type AuditEntry, auditRow } from './audit-row.ts';
import { claimCall, type Idempotency, storeResponse } from './idempotency-store.ts';
import type { Outbox, OutgoingEvent } from './outbox.ts';

export type { AuditEntry } from './audit-row.ts';
export type { Idempotency } from './idempotency-store.ts';

/** A change that reads nothing, so that all of it is known before its transaction begins. */
export interface InsertUnit {
  readonly now: number;
  add(insert: CompiledQuery): void;
  /** Adds a row to the audit log. */
  audit(entry: AuditEntry): void;
  /** Adds an event, delivered to subscribed webhooks after the commit. */
  emit(event: OutgoingEvent): void;
  /**
   * Names cache entries to invalidate: on this node before the change is acknowledged, on other nodes
   * when they receive the notification.
   */
  affects(change: Change): void;
}

/** A change while it is being made. */
export interface Unit extends Omit<InsertUnit, 'add'> {
  readonly tx: Tx;
  /** Adds a statement whose result is not needed, so that it is sent together with others. */
  write(statement: Promise<unknown>): void;
  /** Holds or releases the deliveries of a project that becomes inactive or active. */
  holdOrReleaseDeliveries(projectId: string, then: 'hold' | 'release'): void;
}

interface ChangeRunnerParts {
  readonly storage: Storage;
  readonly bus: ChangeBus;
  readonly outbox: Outbox;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly clock: Clock;
}

/**
 * Makes every change. One transaction writes its rows, audit rows and events, the notification of other
 * nodes, and the stored response of an idempotent call. Then this node invalidates its cache entries, and
 * only then the caller gets its response. Other nodes invalidate theirs when they receive the notification.
 */
export class ChangeRunner {
  readonly #parts: ChangeRunnerParts;
  #onFullDisk: ChangeRunner | undefined;

  constructor(parts: ChangeRunnerParts) {
    this.#parts = parts;
  }

  /**
   * Makes changes that take rights away, such as a revocation, or that a person needs for that, such as signing in.
   * On a full disk they may use its reserve, which all other changes leave to them (docs/decisions/0079-disk-reserve.md).
   */
  get onFullDisk(): ChangeRunner {
    const { storage } = this.#parts;
    this.#onFullDisk ??= new ChangeRunner({ ...this.#parts, storage: allowedOnFullDisk(storage) });
    return this.#onFullDisk;
  }

  /**
   * Makes a change that only inserts. If the database supports scripts, the change is sent as one script.
   * If a webhook is subscribed, or `idempotency` or `check` is given, it runs as an ordinary transaction.
   * `check` throws if the change must not be made.
   */
  async add<T>(
    actor: Actor,
    work: (unit: InsertUnit) => T,
    idempotency?: Idempotency,
    check?: (tx: Tx) => Promise<void>,
  ): Promise<T> {
    const { script } = this.#parts.storage;
    const isPlain = !idempotency && !check;
    const made = script && isPlain ? await this.#inScript(script, actor, work) : undefined;
    return made ? made.result : this.run(actor, this.#inTransaction(work, check), idempotency);
  }

  async #inScript<T>(
    run: RunScript,
    actor: Actor,
    work: (unit: InsertUnit) => T,
  ): Promise<{ result: T } | undefined> {
    const { outbox, bus, clock } = this.#parts;
    const now = clock();
    const added: CompiledQuery[] = [];
    const collected = new Collected(actor);
    const result = work({ ...collected.collectors, now, add: (step) => void added.push(step) });
    const { audits, changes, events } = collected;
    const guards = outbox.guardsWithoutSubscribers(events);
    if (guards === null) return undefined;
    const { point } = this.#parts.storage;
    const logged = this.#auditRows(audits, actor, now).map((row) =>
      point.insertInto('audit_log').values(row).compile(),
    );
    const isDone = await run({ guards, steps: [...added, ...logged] });
    if (!isDone) return undefined;
    if (changes.length > 0) bus.publish(changes);
    return { result };
  }

  #inTransaction<T>(
    work: (unit: InsertUnit) => T,
    check?: (tx: Tx) => Promise<void>,
  ): (unit: Unit) => Promise<T> {
    return async (unit) => {
      await check?.(unit.tx);
      return work({
        ...unit,
        add: (insert) => unit.write(unit.tx.executeQuery(insert)),
      });
    };
  }

  /** With `idempotency`, the result of `work` is stored as the response to repeat. */
  async run<T>(
    actor: AuditActor,
    work: (unit: Unit) => Promise<T>,
    idempotency?: Idempotency,
  ): Promise<T> {
    const { storage, bus, outbox, secrets, clock } = this.#parts;
    let changes: Change[] = [];
    let webhookIds: readonly string[] = [];
    const result = await storage.transaction(async (tx) => {
      const now = clock();
      const collected = new Collected(actor);
      if (idempotency) await claimCall(storage, tx, actor, idempotency, now);
      const response = await work(collected.unit(tx, now));
      const { audits } = collected;
      requireUnchanged(actor, audits);
      changes = collected.changes;
      const writes: Promise<unknown>[] = [...collected.writes];
      if (audits.length > 0) writes.push(this.#log(tx, audits, actor, now));
      if (changes.length > 0) writes.push(bus.announce(tx, changes));
      if (idempotency) writes.push(storeResponse(tx, secrets, actor, idempotency, response, now));
      const deliveries = this.#writeEvents(tx, collected, now);
      await Promise.all([...writes, deliveries]);
      webhookIds = await deliveries;
      return response;
    });
    if (changes.length > 0) bus.publish(changes);
    outbox.wake(webhookIds);
    return result;
  }

  #log(tx: Tx, audits: readonly AuditEntry[], actor: AuditActor, now: number): Promise<void> {
    const rows = this.#auditRows(audits, actor, now);
    return insertRows(tx, 'audit_log', rows);
  }

  #auditRows(audits: readonly AuditEntry[], actor: AuditActor, now: number) {
    return audits.map((entry) => auditRow(entry, actor, this.#parts.ids('aud'), now));
  }

  /** Returns the webhooks to wake. */
  async #writeEvents(tx: Tx, collected: Collected, now: number): Promise<readonly string[]> {
    const { outbox } = this.#parts;
    const { events, holds, releases } = collected;
    const webhookIds: string[] = [];
    if (events.length > 0) webhookIds.push(...(await outbox.write(tx, events, now)));
    for (const projectId of holds) await outbox.hold(tx, projectId, now);
    for (const projectId of releases)
      webhookIds.push(...(await outbox.release(tx, projectId, now)));
    return webhookIds;
  }
}

/** Throws if the resource was changed since the caller read it, which rolls this transaction back. */
function requireUnchanged({ expectedUpdatedAt }: AuditActor, audits: readonly AuditEntry[]): void {
  if (expectedUpdatedAt === undefined) return;
  const isChanged = ({ before }: AuditEntry) =>
    before && 'updatedAt' in before && before.updatedAt !== expectedUpdatedAt;
  if (audits.some(isChanged)) throw new KeywardError('edit_conflict');
}

/** Collects what `work` adds to the change. */
class Collected {
  readonly writes: Promise<unknown>[] = [];
  readonly audits: AuditEntry[] = [];
  readonly changes: Change[] = [];
  readonly events: OutgoingEvent[] = [];
  readonly holds: string[] = [];
  readonly releases: string[] = [];

  readonly #eventActor: Pick<OutgoingEvent, 'actor'>;

  constructor({ principal }: AuditActor) {
    this.#eventActor =
      principal.kind === 'portal'
        ? { actor: { type: 'portal', customAccountId: principal.customAccountId! } }
        : {};
  }

  readonly collectors: Pick<InsertUnit, 'audit' | 'emit' | 'affects'> = {
    audit: (entry) => void this.audits.push(entry),
    affects: (change) => void this.changes.push(change),
    emit: (event) => void this.events.push({ ...event, ...this.#eventActor }),
  };

  unit(tx: Tx, now: number): Unit {
    return {
      ...this.collectors,
      tx,
      now,
      write: (statement) => {
        // Awaited after `work`; until then a failure must not be an unhandled rejection.
        statement.catch(() => {});
        this.writes.push(statement);
      },
      holdOrReleaseDeliveries: (projectId, then) =>
        (then === 'hold' ? this.holds : this.releases).push(projectId),
    };
  }
}
