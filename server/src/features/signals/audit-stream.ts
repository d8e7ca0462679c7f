import { sql } from 'kysely';
import type { Storage, Tx } from '../../storage/index.ts';
import { auditLog, type LogRow } from '../audit/index.ts';
import type { Outbox, OutgoingEvent } from '../changes/index.ts';

/** Rows in one transaction. */
const ROWS_PER_TRANSACTION = 200;
const CURSOR = 'audit stream';

interface AuditStreamParts {
  readonly storage: Storage;
  readonly outbox: Outbox;
}

/**
 * Sends `audit.appended` for the accounts that subscribe to it. Rows are sent in the order in which they
 * were sealed, because `seq` may not follow the order of commits. The cursor and the event numbers move in
 * the transaction that writes the events, so no row is sent twice or left out.
 */
export class AuditStream {
  readonly #parts: AuditStreamParts;

  constructor(parts: AuditStreamParts) {
    this.#parts = parts;
  }

  /** Sends some rows. Returns whether there may be more. */
  async step(now: number): Promise<boolean> {
    const { storage, outbox } = this.#parts;
    const [cursor, last] = await Promise.all([this.#cursor(), this.#lastPosition()]);
    if (cursor === last) return false;
    const seqs = cursor === null ? [] : await this.#sealedAfter(cursor);
    // Read after the rows. Otherwise rows that follow a new subscription could be left out.
    const accounts = await this.#subscribedAccounts();
    // What happened before the first subscription is not sent.
    if (cursor === null || accounts.size === 0) {
      await storage.transaction((tx) => moveCursor(tx, cursor, last));
      return false;
    }
    const rows = await this.#rows(seqs, accounts);
    const webhookIds = await storage.transaction(async (tx) => {
      if (!(await moveCursor(tx, cursor, cursor + seqs.length))) return [];
      const events = await numbered(tx, rows);
      return events.length === 0 ? [] : outbox.write(tx, events, now);
    });
    outbox.wake(webhookIds);
    return seqs.length === ROWS_PER_TRANSACTION;
  }

  async #cursor(): Promise<number | null> {
    const row = await this.#parts.storage.point
      .selectFrom('signal_cursors')
      .select('position')
      .where('name', '=', CURSOR)
      .executeTakeFirst();
    return row?.position ?? null;
  }

  async #lastPosition(): Promise<number> {
    const row = await this.#parts.storage.point
      .selectFrom('audit_seals')
      .select('position')
      .orderBy('position', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.position ?? 0;
  }

  async #subscribedAccounts(): Promise<ReadonlySet<string>> {
    const rows = await this.#parts.storage.read
      .selectFrom('webhooks')
      .select('account_id')
      .distinct()
      .where('deleted_at', 'is', null)
      .where('project_id', 'is', null)
      .where('topics', 'like', '%"audit.appended"%')
      .execute();
    return new Set(rows.map((row) => row.account_id));
  }

  /** The `seq` of the next rows, in the order of their positions. A seal covers several rows. */
  async #sealedAfter(position: number): Promise<number[]> {
    const seals = await this.#parts.storage.read
      .selectFrom('audit_seals')
      .select(['position', 'audit_seq', 'links'])
      .where('position', '>', position)
      .orderBy('position')
      .limit(ROWS_PER_TRANSACTION)
      .execute();
    const seqs: number[] = [];
    for (const { position: last, audit_seq, links } of seals) {
      const before =
        links === null ? [] : links.split('\n').map((line) => Number.parseInt(line, 10));
      const covered = [...before, audit_seq];
      // Rows of this seal that were sent already.
      const sent = Math.max(0, position + seqs.length - (last - covered.length));
      seqs.push(...covered.slice(sent));
      if (seqs.length >= ROWS_PER_TRANSACTION) break;
    }
    return seqs.slice(0, ROWS_PER_TRANSACTION);
  }

  async #rows(seqs: readonly number[], accounts: ReadonlySet<string>): Promise<LogRow[]> {
    if (seqs.length === 0) return [];
    const rows = await this.#parts.storage.read
      .selectFrom('audit_log')
      .selectAll()
      .where('seq', 'in', seqs)
      .where('account_id', 'in', [...accounts])
      .execute();
    const bySeq = new Map(rows.map((row) => [row.seq, row]));
    return seqs.flatMap((seq) => {
      const row = bySeq.get(seq);
      return row ? [{ ...row, sealed: 1 }] : [];
    });
  }
}

/** False: another node has moved the cursor. */
async function moveCursor(tx: Tx, from: number | null, to: number): Promise<boolean> {
  if (from === null) {
    const inserted = await tx
      .insertInto('signal_cursors')
      .values({ name: CURSOR, position: to })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returning('name')
      .execute();
    return inserted.length > 0;
  }
  const { numUpdatedRows } = await tx
    .updateTable('signal_cursors')
    .set({ position: to })
    .where('name', '=', CURSOR)
    .where('position', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The events, each with the next number of its account. */
async function numbered(tx: Tx, rows: readonly LogRow[]): Promise<OutgoingEvent[]> {
  const counts = new Map<string, number>();
  for (const { account_id } of rows) counts.set(account_id, (counts.get(account_id) ?? 0) + 1);
  const next = new Map<string, number>();
  for (const [account, count] of counts) {
    const { number } = await tx
      .insertInto('audit_streams')
      .values({ account_id: account, number: count })
      .onConflict((conflict) =>
        conflict
          .column('account_id')
          .doUpdateSet({ number: sql`audit_streams.number + excluded.number` }),
      )
      .returning('number')
      .executeTakeFirstOrThrow();
    next.set(account, number - count + 1);
  }
  return rows.map((row) => {
    const number = next.get(row.account_id)!;
    next.set(row.account_id, number + 1);
    return auditEvent(row, number);
  });
}

function auditEvent(row: LogRow, number: number): OutgoingEvent {
  const { sealed: _sealed, ...record } = auditLog(row);
  return {
    // Each row has one event, so both have the same id, except for the prefix.
    id: row.id.replace(/^aud_/, 'evt_'),
    type: 'audit.appended',
    accountId: row.account_id,
    // Rows of a project, too, go only to webhooks of the whole account.
    projectId: null,
    data: { number, ...record },
  };
}
