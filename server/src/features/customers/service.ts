import type { Actor } from '../../kernel/actor.ts';
import { type Principal, requireScope, type Scope, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { isIdOf, type MakeId } from '../../kernel/ids.ts';
import { listing } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import { insertRows, isUniqueViolation, type Storage } from '../../storage/index.ts';
import type { ChangeRunner, Idempotency, Unit } from '../changes/index.ts';
import {
  type ChangeCredits,
  type ChangedCredits,
  type CreditService,
  type CreditsChange,
  type CreditsInput,
  type CreditsWithGrants,
  creditPool,
  emitNewBalance,
  eraseCredits,
  newPool,
  type PoolAccess,
  type PoolOwner,
  type StatementQuery,
  setCredits,
} from '../credits/index.ts';
import { differences } from '../fields/index.ts';
import { requirePlan, requireUnits } from '../policies/index.ts';
import { chooseProject, type ProjectCache, type ProjectRow } from '../projects/index.ts';
import {
  customerColumns,
  customerRecord,
  invalidateKeys,
  poolOwnerOf,
  recordChange,
} from './record.ts';
import type { CreateCustomer, Customer, ListCustomers, UpdateCustomer } from './schema.ts';
import {
  type CustomerReference,
  type CustomerRow,
  findCustomer,
  knownCustomers,
  listCustomerRows,
  NOT_KNOWN,
  nameOf,
} from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly ids: MakeId;
  readonly projects: ProjectCache;
  readonly credits: CreditService;
}

/** A customer in a path. `id` is our id or, with `projectId`, its `customAccountId`. */
export interface CustomerPath {
  readonly id: string;
  readonly projectId?: string;
}

/** A new customer that was checked. */
export interface PreparedCustomer {
  readonly input: CreateCustomer;
  readonly project: ProjectRow;
  readonly columns: ReturnType<typeof customerColumns.toInsert>;
  readonly owner: PoolOwner;
}

/** Customers: settings for all keys with the same `customAccountId` in a project. */
export class CustomerService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async create(actor: Actor, input: CreateCustomer, idempotency?: Idempotency): Promise<Customer> {
    const { changes, ids } = this.#parts;
    const prepared = await this.prepare(actor.principal, input);
    const { project, owner } = prepared;
    const credits = input.credits ? startingCredits(input.credits) : undefined;
    const make = async (unit: Unit, access: PoolAccess): Promise<Customer> => {
      const row = newCustomer(prepared, ids('cus'), unit.now);
      if (row.plan_id !== null) await requirePlan(unit.tx, project.id, row.plan_id);
      await requireUnits(unit.tx, project.id, row.limits);
      await unit.tx.insertInto('customers').values(row).execute();
      // Read with its credits: a plan may have opened a pool for the keys of the customer before.
      const inserted = await this.#read(unit.tx, actor.principal, 'customers:write', {
        id: row.id,
      });
      const changed = credits && (await applyCredits(unit, access, owner, credits));
      if (changed && changed.before !== null) emitNewBalance(unit, owner, null, changed);
      const made = {
        ...inserted,
        credits: changed ? changed.after : await this.#parts.credits.current(unit, owner, inserted),
      };
      recordChange(unit, 'customer.created', null, made);
      return customerRecord(made);
    };
    try {
      return await this.#parts.credits.change(owner, (access) =>
        changes.run(actor, (unit) => make(unit, access), idempotency),
      );
    } catch (error) {
      if (isUniqueViolation(error, 'customers')) throw new KeywardError('customer_exists');
      throw error;
    }
  }

  /** The project of new customers. */
  chooseProject(principal: Principal, projectId: string | undefined): Promise<ProjectRow> {
    return chooseProject(this.#parts.projects, principal, projectId, (resource) =>
      requireScope(principal, 'customers:write', resource, 'project_not_found'),
    );
  }

  /** Checks a new customer. Whether it exists, and its plan, are not checked. */
  async prepare(principal: Principal, input: CreateCustomer): Promise<PreparedCustomer> {
    const project = await this.chooseProject(principal, input.projectId);
    requireFilterable(input.customAccountId);
    const columns = customerColumns.toInsert(input);
    const owner: PoolOwner = {
      accountId: project.account_id,
      projectId: project.id,
      ownerType: 'customer',
      owner: input.customAccountId,
    };
    if (input.credits || input.anchor)
      requireScope(principal, 'credits:write', owner, 'project_not_found');
    if (input.credits) newPool(input.credits, { now: 0, makeId: () => '' });
    return { input, project, columns, owner };
  }

  /**
   * Creates many customers in one change. Those that exist, or have a pool of credits that a plan opened for
   * their keys, are left out. Returns the ids, by position.
   */
  async createNew(
    actor: Actor,
    prepared: readonly PreparedCustomer[],
  ): Promise<ReadonlyMap<PreparedCustomer, string>> {
    const { changes, ids } = this.#parts;
    return changes.run(actor, async (unit) => {
      const known = await knownCustomers(
        unit.tx,
        prepared.map(({ owner }) => owner),
      );
      const fresh = prepared.filter(({ owner }) => {
        const { id, hasPool } = known.get(nameOf(owner)) ?? NOT_KNOWN;
        return id === null && !hasPool;
      });
      for (const [planId, projectId] of plansOf(fresh))
        await requirePlan(unit.tx, projectId, planId);
      for (const { project, columns } of fresh)
        await requireUnits(unit.tx, project.id, columns.limits);
      const rows = fresh.map((each) => newCustomer(each, ids('cus'), unit.now));
      // In the order of the unique index, so that two imports of the same customers cannot deadlock.
      await insertRows(unit.tx, 'customers', rows.toSorted(byName));
      for (const row of rows)
        recordChange(unit, 'customer.created', null, { ...row, credits: null });
      return new Map(fresh.map((each, n) => [each, rows[n]!.id]));
    });
  }

  async get(principal: Principal, path: CustomerPath): Promise<Customer> {
    const row = await this.find(principal, 'customers:read', path);
    const credits = await this.#parts.credits.read(creditPool(poolOwnerOf(row)));
    return customerRecord({ ...row, credits });
  }

  list(principal: Principal, filter: ListCustomers): Promise<Listing<Customer>> {
    const tenant = tenantOf(principal);
    const { storage, credits } = this.#parts;
    return listing(
      filter,
      'cus',
      (range) => listCustomerRows(storage, tenant, filter, range),
      (row) => customerRecord({ ...row, credits: credits.inList(poolOwnerOf(row), row) }),
    );
  }

  async update(actor: Actor, path: CustomerPath, input: UpdateCustomer): Promise<Customer> {
    const row = await this.find(actor.principal, 'customers:write', path);
    if (input.credits !== undefined || input.anchor !== undefined)
      requireScope(actor.principal, 'credits:write', poolOwnerOf(row), 'customer_not_found');
    if (input.credits === undefined) return this.#update(actor, row.id, input);
    return this.#parts.credits.change(poolOwnerOf(row), (access) =>
      this.#update(actor, row.id, input, access),
    );
  }

  /** `access`: the pool of the customer, if the update changes its credits. */
  #update(actor: Actor, id: string, input: UpdateCustomer, access?: PoolAccess): Promise<Customer> {
    const wanted = customerColumns.toUpdate(input);
    return this.#parts.changes.run(actor, async (unit) => {
      const row = await this.#read(unit.tx, actor.principal, 'customers:write', { id });
      const owner = poolOwnerOf(row);
      let before = { ...row, credits: await this.#parts.credits.current(unit, owner, row) };
      const changed = differences(before, wanted);
      if (access === undefined && changed === null) return customerRecord(before);
      if (changed?.plan_id) await requirePlan(unit.tx, before.project_id, changed.plan_id);
      await requireUnits(unit.tx, before.project_id, changed?.limits);
      const set = { ...changed, revision: before.revision + 1, updated_at: unit.now };
      await unit.tx.updateTable('customers').set(set).where('id', '=', id).execute();
      let after = { ...before, ...set };
      if (access !== undefined) {
        // After the row is written, because the new plan of the customer may open the pool.
        const credits = await applyCredits(unit, access, owner, input.credits!);
        emitNewBalance(unit, owner, null, credits);
        before = { ...before, credits: credits.before };
        after = { ...after, credits: credits.after };
      }
      recordChange(unit, 'customer.updated', before, after);
      return customerRecord(after);
    });
  }

  /** Adds or sets credits. Creates the credits if there are none. */
  async changeCredits(
    actor: Actor,
    path: CustomerPath,
    change: ChangeCredits,
    idempotency?: Idempotency,
  ): Promise<ChangedCredits> {
    const row = await this.find(actor.principal, 'credits:write', path);
    const owner = poolOwnerOf(row);
    const target = {
      owner,
      targetType: 'customer',
      targetId: row.id,
      readAgain: (unit: Unit) =>
        this.#read(unit.tx, actor.principal, 'credits:write', { id: row.id }),
      invalidate: async (unit: Unit, changed: CreditsChange) =>
        invalidateKeys(unit, owner, changed),
    } as const;
    return this.#parts.credits.addOrSet(actor, target, change, idempotency);
  }

  async credits(principal: Principal, path: CustomerPath): Promise<CreditsWithGrants | null> {
    const row = await this.find(principal, 'customers:read', path);
    return this.#parts.credits.withGrants(creditPool(poolOwnerOf(row)));
  }

  async statement(principal: Principal, path: CustomerPath, query: StatementQuery) {
    const row = await this.find(principal, 'customers:read', path);
    return this.#parts.credits.statement(poolOwnerOf(row), query);
  }

  /** Deletes a customer. Its keys stay, but lose the settings and credits of the customer. */
  async delete(actor: Actor, path: CustomerPath): Promise<void> {
    const found = await this.find(actor.principal, 'customers:write', path);
    const { id } = found;
    const remove = (access: PoolAccess) =>
      this.#parts.changes.run(actor, async (unit) => {
        const row = await this.#read(unit.tx, actor.principal, 'customers:write', { id });
        await unit.tx.deleteFrom('customers').where('id', '=', id).execute();
        const before = await eraseCredits(unit, access, poolOwnerOf(row));
        // Without the credits of the customer, its keys may be valid without payment.
        if (before !== null)
          requireScope(actor.principal, 'credits:write', poolOwnerOf(row), 'customer_not_found');
        recordChange(unit, 'customer.deleted', { ...row, credits: before }, null);
      });
    await this.#parts.credits.change(poolOwnerOf(found), remove);
  }

  find(principal: Principal, action: Scope, path: CustomerPath): Promise<CustomerRow> {
    return this.#read(this.#parts.storage.point, principal, action, referenceOf(path));
  }

  async #read(
    db: Storage['point'],
    principal: Principal,
    action: Scope,
    reference: CustomerReference | null,
  ): Promise<CustomerRow> {
    const row = reference && (await findCustomer(db, tenantOf(principal), reference));
    if (!row) throw new KeywardError('customer_not_found');
    const resource = { accountId: row.account_id, projectId: row.project_id };
    requireScope(principal, action, resource, 'customer_not_found');
    return row;
  }
}

const newCustomer = ({ project, columns }: PreparedCustomer, id: string, now: number) => ({
  id,
  account_id: project.account_id,
  project_id: project.id,
  ...columns,
  revision: 1,
  created_at: now,
  updated_at: now,
});

type NewCustomer = ReturnType<typeof newCustomer>;

const byName = (a: NewCustomer, b: NewCustomer): number =>
  `${a.project_id} ${a.custom_account_id}` < `${b.project_id} ${b.custom_account_id}` ? -1 : 1;

/** The plans of new customers, each once, with their projects. */
const plansOf = (prepared: readonly PreparedCustomer[]): ReadonlyMap<string, string> =>
  new Map(
    prepared.flatMap(({ input: { planId }, project }) => (planId ? [[planId, project.id]] : [])),
  );

/**
 * The credits of a new customer, with defaults: no refills, and `remaining` equal to `refill.amount`. Without
 * defaults, omitted fields would keep the values of a pool that a plan may have opened for its keys before.
 */
const startingCredits = ({ refill = null, remaining = refill?.amount }: CreditsInput) => ({
  refill,
  ...(remaining !== undefined && { remaining }),
});

async function applyCredits(
  unit: Unit,
  access: PoolAccess,
  owner: PoolOwner,
  input: CreditsInput | null,
): Promise<CreditsChange> {
  const change = await setCredits(unit, access, owner, input);
  invalidateKeys(unit, owner, change);
  return change;
}

/** In filters, the text `null` stands for keys without a customer. */
export function requireFilterable(customAccountId: string): void {
  if (customAccountId === 'null')
    throw new KeywardError(
      'invalid_body',
      'customAccountId must not be "null": filters use it for keys without a customer.',
    );
}

function referenceOf({ id, projectId }: CustomerPath): CustomerReference | null {
  if (projectId !== undefined) return { projectId, customAccountId: id };
  return isIdOf('cus', id) ? { id } : null;
}
