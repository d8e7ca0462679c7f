import { type Kysely, type KyselyPlugin, sql } from 'kysely';
import type { Database, Storage } from '../../src/storage/index.ts';

/** Never ends, and returns nothing before it ends. */
const ENDLESS = sql<{ counted: number }>`(with recursive numbers (n) as
  (select 1 union all select (n + 1) % 1000 from numbers) select count(*) as counted from numbers)`;

/** The same storage, in which lists of this table never end. */
export function endlessLists(storage: Storage, table: keyof Database): Storage {
  const endless = storage.read.selectFrom(ENDLESS.as('endless')).selectAll().toOperationNode();
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) =>
      node.kind === 'SelectQueryNode' && JSON.stringify(node.from).includes(`"${table}"`)
        ? endless
        : node,
    transformResult: async ({ result }) => result,
  };
  const slow = (db: Kysely<Database>) => db.withPlugin(plugin);
  return { ...storage, read: slow(storage.read), background: slow(storage.background) };
}
