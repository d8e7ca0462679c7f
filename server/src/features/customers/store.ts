import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import { isIdOf } from '../../kernel/ids.ts';
import type { RowRange } from '../../kernel/paging.ts';
import {
  containing,
  type Database,
  forUpdate,
  hasElement,
  type Storage,
} from '../../storage/index.ts';
import type { CustomersTable } from '../../storage/schema/customers.ts';
import {
  type Credits,
  type CreditsColumns,
  creditsBalance,
  REFILL_COLUMNS,
} from '../credits/index.ts';
import type { ListCustomers } from './schema.ts';

/** A customer, joined with its credits. */
export type CustomerRow = Selectable<CustomersTable> & CreditsColumns;

/** A customer with its credits as the API shows them. */
export type CustomerWithCredits = Selectable<CustomersTable> & { readonly credits: Credits | null };

/** Names a customer by its id, or by its `customAccountId` in a project. */
export type CustomerReference =
  | { readonly id: string }
  | { readonly projectId: string; readonly customAccountId: string };

function customerRows(db: Kysely<Database>, { accountId, projectIds }: Tenant) {
  const query = db
    .selectFrom('customers')
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

export function listCustomerRows(
  storage: Storage,
  tenant: Tenant,
  filter: ListCustomers,
  { after, offset, size }: RowRange<string>,
): Promise<CustomerRow[]> {
  let query = customerRows(storage.read, tenant)
    .orderBy('customers.id', 'desc')
    .limit(size)
    .offset(offset);
  if (filter.projectId !== undefined)
    query = query.where('customers.project_id', '=', filter.projectId);
  if (filter.planId !== undefined) query = query.where('customers.plan_id', '=', filter.planId);
  for (const tag of filter.tag ?? []) query = query.where(hasElement('customers.tags', tag));
  if (filter.search !== undefined) query = query.where(matches(filter.search));
  if (after !== null) query = query.where('customers.id', '<', after);
  return query.execute();
}

const SEARCHED = ['customers.custom_account_id', 'customers.name', 'customers.email'];

function matches(search: string): RawBuilder<SqlBool> {
  if (isIdOf('cus', search)) return sql`customers.id = ${search}`;
  const conditions = SEARCHED.map((column) => containing(column, search));
  return sql`(${sql.join(conditions, sql` or `)})`;
}
