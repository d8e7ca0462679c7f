import { sql } from 'kysely';
import type { Storage } from '../../../storage/index.ts';
import { DAY_MS } from '../usage-kinds.ts';

const KEPT_MS = 7 * DAY_MS;
const ROWS_PER_ACCOUNT_MAX = 100_000;
const ROWS_PER_STEP = 2_000;
const LOCK = 'refusal retention';

/** Deletes old refusals and, for accounts with too many, their oldest refusals. One instance per node. */
export class RefusalRetention {
  readonly #storage: Storage;
  readonly #perAccount: number;
  /** The last row that was seen: only accounts with later rows can have too many. */
  #lastId = '';

  constructor(storage: Storage, perAccount = ROWS_PER_ACCOUNT_MAX) {
    this.#storage = storage;
    this.#perAccount = perAccount;
  }

  async run(now: number, isStopped: () => boolean): Promise<void> {
    while (!isStopped() && (await this.#deleteOld(now - KEPT_MS)));
    const { accountIds, lastId } = await this.#recentAccounts();
    for (const accountId of accountIds)
      while (!isStopped() && (await this.#deleteSurplus(accountId)));
    if (!isStopped()) this.#lastId = lastId;
  }

  /** Ids sort by the time of writing, so the oldest rows come first. False if there is no more to do. */
  #deleteOld(before: number): Promise<boolean> {
    return this.#storage.transaction(async (tx) => {
      if (!(await this.#storage.tryLock(tx, LOCK))) return false;
      await tx.deleteFrom('refusal_omissions').where('minute', '<', before).execute();
      const oldest = await tx
        .selectFrom('refusals')
        .select(['id', 'time'])
        .orderBy('id')
        .limit(ROWS_PER_STEP)
        .execute();
      const old = oldest.filter(({ time }) => time < before);
      if (old.length === 0) return false;
      await tx
        .deleteFrom('refusals')
        .where('id', '<=', old.at(-1)!.id)
        .where('time', '<', before)
        .execute();
      return old.length === ROWS_PER_STEP;
    });
  }

  async #recentAccounts(): Promise<{ accountIds: readonly string[]; lastId: string }> {
    const rows = await this.#storage.read
      .selectFrom('refusals')
      .select(['account_id', sql<string>`max(id)`.as('last_id')])
      .where('id', '>', this.#lastId)
      .groupBy('account_id')
      .execute();
    const lastId = rows.reduce(
      (last, row) => (row.last_id > last ? row.last_id : last),
      this.#lastId,
    );
    return { accountIds: rows.map((row) => row.account_id), lastId };
  }

  async #deleteSurplus(accountId: string): Promise<boolean> {
    return this.#storage.transaction(async (tx) => {
      if (!(await this.#storage.tryLock(tx, LOCK))) return false;
      const surplus = await tx
        .selectFrom('refusals')
        .select('id')
        .where('account_id', '=', accountId)
        .orderBy('time', 'desc')
        .orderBy('id', 'desc')
        .offset(this.#perAccount)
        .limit(ROWS_PER_STEP)
        .execute();
      if (surplus.length === 0) return false;
      const ids = surplus.map(({ id }) => id);
      // They become omissions: refusals that the list does not show.
      await sql`insert into refusal_omissions (account_id, minute, project_id, key_seq, omitted)
        select account_id, time - time % 60000, project_id, key_seq, count(*) from refusals
        where id in (${sql.join(ids)}) group by 1, 2, 3, 4 order by 1, 2, 3, 4
        on conflict (account_id, minute, project_id, key_seq)
        do update set omitted = refusal_omissions.omitted + excluded.omitted`.execute(tx);
      await tx.deleteFrom('refusals').where('id', 'in', ids).execute();
      return surplus.length === ROWS_PER_STEP;
    });
  }
}
