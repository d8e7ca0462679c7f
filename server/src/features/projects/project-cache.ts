import type { ChangeFeed } from '../../cluster/change-bus/change-bus.ts';
import { preparedQuery, type Storage } from '../../storage/index.ts';
import type { ProjectRow } from './store.ts';

/** The cache is cleared when it is full. */
const ENTRIES_MAX = 1_000;

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
 * Caches the projects that new keys belong to, until any project changes. Without it, reading the project
 * takes a sixth of the time to create a key, because every commit invalidates the page cache of the
 * connection. The result of an asynchronous read is not cached: the project may have changed meanwhile.
 */
export class ProjectCache {
  readonly #storage: Storage;
  readonly #entries = new Map<string, ProjectRow>();

  constructor(parts: { storage: Storage; bus: ChangeFeed }) {
    this.#storage = parts.storage;
    parts.bus.subscribe((changes) => {
      if (changes.some(({ kind }) => kind === 'project' || kind === 'everything'))
        this.#entries.clear();
    });
  }

  async find(accountId: string, id: string): Promise<ProjectRow | undefined> {
    const key = `${accountId} ${id}`;
    return (
      this.#entries.get(key) ??
      this.#fill(key, ofAccount(this.#storage, { accountId, id }), ([row]) => row)
    );
  }

  /** The only active project of an account; undefined if there are none or several. */
  async findOnlyActive(accountId: string): Promise<ProjectRow | undefined> {
    return (
      this.#entries.get(accountId) ??
      this.#fill(accountId, activeOfAccount(this.#storage, { accountId }), (rows) =>
        rows.length === 1 ? rows[0] : undefined,
      )
    );
  }

  async #fill(
    key: string,
    result: readonly ProjectRow[] | Promise<readonly ProjectRow[]>,
    pick: (rows: readonly ProjectRow[]) => ProjectRow | undefined,
  ): Promise<ProjectRow | undefined> {
    if (result instanceof Promise) return pick(await result);
    const row = pick(result);
    if (this.#entries.size >= ENTRIES_MAX) this.#entries.clear();
    if (row !== undefined) this.#entries.set(key, row);
    return row;
  }
}
