import type { ChangeFeed } from '../../cluster/change-bus/change-bus.ts';
import { preparedQuery, type Storage } from '../../storage/index.ts';
import type { ProjectRow } from './store.ts';

/** Forgotten all at once: whoever makes keys in more projects at a time pays a look-up for each. */
const HELD_MAX = 1_000;

const ofAccount = preparedQuery(['accountId', 'id'], (db, { accountId, id }) =>
  db
    .selectFrom('projects')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .compile(),
);

const activeOfAccount = preparedQuery(['accountId'], (db, { accountId }) =>
  db
    .selectFrom('projects')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('is_active', '=', 1)
    .limit(2)
    .compile(),
);

/**
 * The project of every key that is made. Beside a busy writer a look into the database costs a
 * sixth of the making, since each commit makes this connection read its pages again; so what was
 * answered at once is held until any project changes. An answer that has to be waited for could be
 * overtaken by a change, and is not held.
 */
export class ProjectsAtHand {
  readonly #storage: Storage;
  readonly #held = new Map<string, ProjectRow>();

  constructor(parts: { storage: Storage; news: ChangeFeed }) {
    this.#storage = parts.storage;
    parts.news.subscribe((changes) => {
      if (changes.some(({ kind }) => kind === 'project' || kind === 'everything'))
        this.#held.clear();
    });
  }

  async named(accountId: string, id: string): Promise<ProjectRow | undefined> {
    const place = `${accountId} ${id}`;
    return (
      this.#held.get(place) ??
      this.#hold(place, ofAccount(this.#storage, { accountId, id }), ([row]) => row)
    );
  }

  /** For callers that name no project: there must be exactly one to mean. */
  async only(accountId: string): Promise<ProjectRow | undefined> {
    return (
      this.#held.get(accountId) ??
      this.#hold(accountId, activeOfAccount(this.#storage, { accountId }), (rows) =>
        rows.length === 1 ? rows[0] : undefined,
      )
    );
  }

  async #hold(
    place: string,
    answer: readonly ProjectRow[] | Promise<readonly ProjectRow[]>,
    chosen: (rows: readonly ProjectRow[]) => ProjectRow | undefined,
  ): Promise<ProjectRow | undefined> {
    if (answer instanceof Promise) return chosen(await answer);
    const row = chosen(answer);
    if (this.#held.size >= HELD_MAX) this.#held.clear();
    if (row !== undefined) this.#held.set(place, row);
    return row;
  }
}
