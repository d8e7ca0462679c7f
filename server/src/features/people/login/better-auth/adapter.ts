import { type CleanedWhere, createAdapterFactory } from 'better-auth/adapters';
import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import { sha256 } from '../../../../kernel/secrets/crypto.ts';
import type { Storage } from '../../../../storage/index.ts';

/** better-auth's names of tables, and ours. */
const TABLES: Record<string, string> = {
  user: 'users',
  session: 'sessions',
  account: 'credentials',
  verification: 'verifications',
  twoFactor: 'two_factors',
  passkey: 'passkeys',
};

type Row = Record<string, unknown>;
type AnyDatabase = Record<string, Row>;

/**
 * Connects better-auth to our Storage. Each step of better-auth is a separate transaction: it may hash a
 * password between two steps, and a transaction must not wait for that.
 *
 * Only the hash of a session token is stored. better-auth gets back the token that it passed in.
 */
export const authAdapter = (storage: Storage) =>
  createAdapterFactory({
    config: {
      adapterId: 'keyward',
      supportsBooleans: false,
      supportsNumericIds: false,
      customTransformInput: ({ data }) => (data instanceof Date ? data.getTime() : data),
      customTransformOutput: ({ data, fieldAttributes }) =>
        fieldAttributes.type === 'date' && typeof data === 'number' ? new Date(data) : data,
    },
    adapter: () => ({
      async create({ model, data }) {
        const row = toRow(hashed(model, data as Row));
        await write(storage, (db) => db.insertInto(tableOf(model)).values(row).execute());
        return data;
      },
      async findOne<T>({ model, where }: Query) {
        const db = reader(storage);
        const row = await matching(db, model, where).executeTakeFirst();
        return (row === undefined ? null : fromRow(model, row, where)) as T | null;
      },
      async findMany<T>({ model, where, limit, offset, sortBy }: ManyQuery) {
        let query = matching(reader(storage), model, where ?? []).limit(limit);
        if (sortBy) query = query.orderBy(snake(sortBy.field), sortBy.direction);
        if (offset) query = query.offset(offset);
        const rows = await query.execute();
        return rows.map((row) => fromRow(model, row, [])) as T[];
      },
      async update<T>({ model, where, update }: Query & { update: T }) {
        const row = await write(storage, (db) =>
          db
            .updateTable(tableOf(model))
            .set(toRow(hashed(model, update as Row)))
            .where(conditions(model, where))
            .returningAll()
            .executeTakeFirst(),
        );
        return (row === undefined ? null : fromRow(model, row, where)) as T | null;
      },
      async updateMany({ model, where, update }) {
        const changed = await write(storage, (db) =>
          db
            .updateTable(tableOf(model))
            .set(toRow(hashed(model, update)))
            .where(conditions(model, where))
            .executeTakeFirst(),
        );
        return Number(changed.numUpdatedRows);
      },
      async delete({ model, where }) {
        await write(storage, (db) =>
          db.deleteFrom(tableOf(model)).where(conditions(model, where)).execute(),
        );
      },
      async deleteMany({ model, where }) {
        const gone = await write(storage, (db) =>
          db.deleteFrom(tableOf(model)).where(conditions(model, where)).executeTakeFirst(),
        );
        return Number(gone.numDeletedRows);
      },
      async consumeOne<T>({ model, where }: Query) {
        const row = await write(storage, async (db) => {
          const found = await matching(db, model, where).executeTakeFirst();
          if (found === undefined) return undefined;
          // If two requests find the row at the same time, only one of them deletes it.
          return db
            .deleteFrom(tableOf(model))
            .where('id', '=', found.id)
            .returningAll()
            .executeTakeFirst();
        });
        return (row === undefined ? null : fromRow(model, row, where)) as T | null;
      },
      async count({ model, where }) {
        const { count } = await reader(storage)
          .selectFrom(tableOf(model))
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where(conditions(model, where ?? []))
          .executeTakeFirstOrThrow();
        return Number(count);
      },
    }),
  });

interface Query {
  readonly model: string;
  readonly where: CleanedWhere[];
}

interface ManyQuery {
  readonly model: string;
  readonly where?: CleanedWhere[] | undefined;
  readonly limit: number;
  readonly offset?: number | undefined;
  readonly sortBy?: { field: string; direction: 'asc' | 'desc' } | undefined;
}

const reader = (storage: Storage) => storage.point as unknown as Kysely<AnyDatabase>;

const write = <T>(storage: Storage, work: (db: Kysely<AnyDatabase>) => Promise<T>): Promise<T> =>
  storage.transaction((tx) => work(tx as unknown as Kysely<AnyDatabase>));

function tableOf(model: string): string {
  const table = TABLES[model];
  if (table === undefined) throw new Error(`better-auth uses an unknown table: ${model}`);
  return table;
}

const matching = (db: Kysely<AnyDatabase>, model: string, where: CleanedWhere[]) =>
  db.selectFrom(tableOf(model)).selectAll().where(conditions(model, where));

const OPERATORS: Partial<Record<CleanedWhere['operator'], string>> = {
  eq: '=',
  ne: '!=',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
};

function conditions(model: string, where: readonly CleanedWhere[]): Expression<SqlBool> {
  const all = where.filter(({ connector }) => connector === 'AND').map((w) => condition(model, w));
  const any = where.filter(({ connector }) => connector === 'OR').map((w) => condition(model, w));
  const parts = [...all];
  if (any.length > 0) parts.push(sql<SqlBool>`(${sql.join(any, sql` or `)})`);
  return parts.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(parts, sql` and `)})`;
}

function condition(model: string, { field, operator, value }: CleanedWhere): Expression<SqlBool> {
  const column = sql.ref(snake(field));
  const operand = isToken(model, field) ? hashedToken(value) : value;
  if (operand === null)
    return operator === 'ne' ? sql`${column} is not null` : sql`${column} is null`;
  if (Array.isArray(operand)) {
    if (operand.length === 0) return sql`1 = ${operator === 'in' ? 0 : 1}`;
    const list = sql.join(operand.map((item) => sql.val(item)));
    return operator === 'in' ? sql`${column} in (${list})` : sql`${column} not in (${list})`;
  }
  const sign = OPERATORS[operator];
  if (sign === undefined) throw new Error(`better-auth uses an unsupported operator: ${operator}`);
  return sql`${column} ${sql.raw(sign)} ${sql.val(operand)}`;
}

const isToken = (model: string, field: string): boolean => model === 'session' && field === 'token';

function hashedToken(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hashedToken);
  return typeof value === 'string' ? sha256(value) : value;
}

const hashed = (model: string, data: Row): Row =>
  model === 'session' && 'token' in data ? { ...data, token: hashedToken(data.token) } : data;

const snake = (name: string): string =>
  name.replaceAll(/[A-Z]+/g, (capitals) => `_${capitals.toLowerCase()}`);

const camel = (name: string): string =>
  name === 'credential_id'
    ? 'credentialID'
    : name.replaceAll(/_([a-z])/g, (_, c) => c.toUpperCase());

const toRow = (data: Row): Row =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [snake(name), value]));

function fromRow(model: string, row: Row, where: readonly CleanedWhere[]): Row {
  const data = Object.fromEntries(Object.entries(row).map(([name, value]) => [camel(name), value]));
  const byToken = where.find(({ field }) => isToken(model, field));
  return byToken === undefined ? data : { ...data, token: byToken.value };
}
