import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import {
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import { isIdOf } from '../../kernel/ids.ts';
import type { RowRange } from '../../kernel/paging.ts';
import type { PageQuery } from '../../kernel/schemas.ts';
import {
  chunksOf,
  containing,
  type Database,
  forUpdate,
  hasElement,
  type Source,
  type Storage,
  walkedPage,
} from '../../storage/index.ts';
import type { CustomersTable } from '../../storage/schema/customers.ts';
import {
  type Credits,
  type CreditsColumns,
  creditsBalance,
  type PoolOwner,
  REFILL_COLUMNS,
} from '../credits/index.ts';
import { fieldFilters } from '../fields/index.ts';
import type { ListCustomers } from './schema.ts';

/** A customer, joined with its credits. */
export type CustomerRow = Selectable<CustomersTable> & CreditsColumns;

/** A customer with its credits as the API shows them. */
export type CustomerWithCredits = Selectable<CustomersTable> & { readonly credits: Credits | null };

/** Names a customer by its id, or by its `customAccountId` in a project. */
export type CustomerReference =
  | { readonly id: string }
  | { readonly projectId: string; readonly customAccountId: string };

/** `page`: the customers of a page of a list, `(value, id)`. */
function customerRows(
  db: Kysely<Database>,
  { accountId, projectIds }: Tenant,
  page?: RawBuilder<unknown>,
) {
  const query = (page === undefined ? db.selectFrom('customers') : joinPage(db, page))
    .leftJoin('credit_pools as own_pool', (join) =>
      join
        .onRef('own_pool.project_id', '=', 'customers.project_id')
        .on('own_pool.owner_type', '=', sql.lit('customer'))
        .onRef('own_pool.owner', '=', 'customers.custom_account_id'),
    )
    .selectAll('customers')
    .select(creditsBalance().as('credits_balance'))
    .select(REFILL_COLUMNS)
    .where('customers.account_id', '=', accountId);
  return projectIds === null ? query : query.where('customers.project_id', 'in', projectIds);
}

const joinPage = (db: Kysely<Database>, page: RawBuilder<unknown>) =>
  db
    .selectFrom(sql<{ value: unknown; id: string }>`(${page})`.as('page'))
    .crossJoin('customers')
    .whereRef('customers.id', '=', 'page.id') as unknown as SelectQueryBuilder<
    Database,
    'customers',
    object
  >;

export function findCustomer(
  db: Kysely<Database>,
  tenant: Tenant,
  reference: CustomerReference,
): Promise<CustomerRow | undefined> {
  const query = customerRows(db, tenant);
  const found =
    'id' in reference
      ? query.where('customers.id', '=', reference.id)
      : query
          .where('customers.project_id', '=', reference.projectId)
          .where('customers.custom_account_id', '=', reference.customAccountId);
  return forUpdate(db, found, 'customers').executeTakeFirst();
}

type Name = Pick<PoolOwner, 'projectId' | 'owner'>;

export const nameOf = ({ projectId, owner }: Name): string => `${projectId} ${owner}`;

interface Known {
  /** Null: there is no such customer. */
  readonly id: string | null;
  /** Whether there is a pool of credits, which a plan may have opened before the customer was created. */
  readonly hasPool: boolean;
}

export const NOT_KNOWN: Known = { id: null, hasPool: false };

/** What exists under these names, by `nameOf`. */
export async function knownCustomers(
  db: Kysely<Database>,
  names: readonly Name[],
): Promise<ReadonlyMap<string, Known>> {
  const known = new Map<string, Known>();
  for (const [projectId, ofProject] of Map.groupBy(names, (name) => name.projectId))
    for (const chunk of chunksOf(ofProject.map(({ owner }) => owner))) {
      const customers = await db
        .selectFrom('customers')
        .select(['id', 'custom_account_id'])
        .where('project_id', '=', projectId)
        .where('custom_account_id', 'in', chunk)
        .execute();
      for (const { id, custom_account_id: owner } of customers)
        known.set(nameOf({ projectId, owner }), { id, hasPool: false });
      const pools = await db
        .selectFrom('credit_pools')
        .select('owner')
        .where('project_id', '=', projectId)
        .where('owner_type', '=', 'customer')
        .where('owner', 'in', chunk)
        .execute();
      for (const { owner } of pools) {
        const name = nameOf({ projectId, owner });
        known.set(name, { id: known.get(name)?.id ?? null, hasPool: true });
      }
    }
  return known;
}

/** With `upTo`, there may be more customers behind this id. */
interface FoundCustomers {
  readonly rows: readonly CustomerRow[];
  readonly upTo: string | null;
}

/** The newest first. As in the list of keys, the rows of one index are looked at, a bounded number for a page. */
export async function listCustomerRows(
  { read }: Storage,
  { accountId, projectIds }: Tenant,
  filter: ListCustomers,
  { after, offset, size }: RowRange<string>,
): Promise<FoundCustomers> {
  const conditions = conditionsOf(accountId, projectIds, filter);
  const found = conditions.find(({ source }) => source !== undefined);
  const source = found?.source ?? indexed(accountId);
  const { rows, upTo } = await walkedPage(
    {
      db: read,
      listed: { from: sql`customers`, alias: 'customers' },
      where: conditions.filter((each) => each !== found).map(({ where }) => where),
      after: after === null ? null : { value: null, id: after },
      offset,
      size,
      read: (page) =>
        customerRows(read, { accountId, projectIds }, page).orderBy(sql`page.id desc`).execute(),
    },
    [{ ...source, value: null, ascending: false }],
  );
  return { rows, upTo: upTo === null ? null : upTo.id };
}

interface Condition {
  /** On `customers`. */
  readonly where: RawBuilder<SqlBool>;
  /** Finds the same customers by an index, in the order of ids. */
  readonly source?: Source;
}

/** Customers of an account that meet a condition for which there is an index. */
const indexed = (accountId: string, ...where: RawBuilder<SqlBool>[]): Source => ({
  from: sql`customers as i`,
  where: [sql`i.account_id = ${accountId}`, ...where],
  id: sql.ref('i.id'),
});

type Make<V> = (value: V, accountId: string) => readonly Condition[];

const { tag, planId, ...others } = fieldFilters(CUSTOMER, { equal, tagged });

/** The most selective first. */
const FILTERS: {
  readonly [F in Exclude<keyof ListCustomers, keyof typeof PageQuery>]-?: Make<
    NonNullable<ListCustomers[F]>
  >;
} = {
  search: (text, accountId) => [
    isIdOf('cus', text)
      ? equal(accountId, 'id', text)
      : {
          where: sql`(${sql.join(
            SEARCHED.map((column) => containing(column, text)),
            sql` or `,
          )})`,
        },
  ],
  ...others,
  tag,
  planId,
  projectId: (id, accountId) => [equal(accountId, 'project_id', id)],
};

function conditionsOf(
  accountId: string,
  projectIds: Tenant['projectIds'],
  filter: ListCustomers,
): Condition[] {
  const conditions = Object.entries(FILTERS).flatMap(([name, make]) => {
    const value = filter[name as keyof typeof FILTERS];
    return value === undefined ? [] : (make as Make<unknown>)(value, accountId);
  });
  if (projectIds?.length === 1)
    return [...conditions, equal(accountId, 'project_id', projectIds[0]!)];
  if (projectIds === null) return conditions;
  return [...conditions, { where: sql`customers.project_id in (${sql.join(projectIds)})` }];
}

function equal(accountId: string, column: string, value: string | null): Condition {
  const where = (table: string) => {
    const ref = sql.ref(`${table}.${column}`);
    return value === null ? sql<SqlBool>`${ref} is null` : sql<SqlBool>`${ref} = ${value}`;
  };
  return { where: where('customers'), source: indexed(accountId, where('i')) };
}

function tagged(accountId: string, tag: string): Condition {
  return {
    where: hasElement('customers.tags', tag),
    source: {
      from: sql`customer_tags as i`,
      where: [sql`i.account_id = ${accountId}`, sql`i.tag = ${tag}`],
      id: sql.ref('i.owner_id'),
    },
  };
}

const SEARCHED = ['customers.custom_account_id', 'customers.name', 'customers.email'];
