import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import { isIdOf } from '../../kernel/ids.ts';
import { containing, type Database, forUpdate, type Storage } from '../../storage/index.ts';
import type { CustomersTable } from '../../storage/schema.ts';
import type { ListCustomers } from './schema.ts';

export type CustomerRow = Selectable<CustomersTable>;

/** By its id, or by the `customAccountId` in a project. */
export type CustomerReference =
  | { readonly id: string }
  | { readonly projectId: string; readonly customAccountId: string };

function customerRows(db: Kysely<Database>, { accountId, projectIds }: Tenant) {
  const query = db.selectFrom('customers').selectAll().where('account_id', '=', accountId);
  return projectIds === null ? query : query.where('project_id', 'in', projectIds);
}

export function findCustomer(
  db: Kysely<Database>,
  tenant: Tenant,
  reference: CustomerReference,
): Promise<CustomerRow | undefined> {
  const query = customerRows(db, tenant);
  const found =
    'id' in reference
      ? query.where('id', '=', reference.id)
      : query
          .where('project_id', '=', reference.projectId)
          .where('custom_account_id', '=', reference.customAccountId);
  return forUpdate(db, found, 'customers').executeTakeFirst();
}

export function listCustomerRows(
  storage: Storage,
  tenant: Tenant,
  filter: ListCustomers,
  before: string | null,
  size: number,
): Promise<CustomerRow[]> {
  let query = customerRows(storage.read, tenant).orderBy('id', 'desc').limit(size);
  if (filter.projectId !== undefined) query = query.where('project_id', '=', filter.projectId);
  if (filter.planId !== undefined) query = query.where('plan_id', '=', filter.planId);
  for (const tag of filter.tag ?? []) query = query.where(containing('tags', `"${tag}"`));
  if (filter.search !== undefined) query = query.where(found(filter.search));
  if (before !== null) query = query.where('id', '<', before);
  return query.execute();
}

const SEARCHED = ['custom_account_id', 'name', 'email'];

function found(search: string): RawBuilder<SqlBool> {
  if (isIdOf('cus', search)) return sql`id = ${search}`;
  const conditions = SEARCHED.map((column) => containing(column, search));
  return sql`(${sql.join(conditions, sql` or `)})`;
}
