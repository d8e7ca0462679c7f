import { setImmediate } from 'node:timers/promises';
import type { Actor } from '../../../kernel/actor.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { createCheck } from '../../../kernel/json/check-value.ts';
import { onceEach } from '../../../kernel/once-each.ts';
import { isUniqueViolation, type Storage } from '../../../storage/index.ts';
import { requirePlan, requireUnits } from '../../policies/index.ts';
import { CreateCustomer } from '../schema.ts';
import type { CustomerService, PreparedCustomer } from '../service.ts';
import { knownCustomers, nameOf } from '../store.ts';
import type { ImportCustomers, ImportCustomersResult, ImportedCustomer } from './schema.ts';

/** Rows checked before other work gets a turn, so that validations do not wait longer. */
const CHECKED_AT_ONCE = 100;
/**
 * Customers created in one transaction, which takes about 10 ms: a transaction for each takes 2 ms. Other
 * changes run between two transactions.
 */
const CREATED_AT_ONCE = 100;
/** Customers with credits are separate changes, because their pools are locked. They share commits. */
const WITH_CREDITS_AT_ONCE = 8;
/** Another request may create the same customer between our read and our write; then we read again. */
const ATTEMPTS = 3;

const wrongIn = createCheck(CreateCustomer, 'json', 'The row');

interface Row {
  readonly index: number;
  readonly prepared: PreparedCustomer;
}

/**
 * Imports customers. Each is audited like one that `POST /customers` creates. If a request fails halfway, it
 * can be repeated: customers that exist already are not changed.
 */
export class CustomerImporter {
  readonly #customers: CustomerService;
  readonly #storage: Storage;

  constructor(customers: CustomerService, storage: Storage) {
    this.#customers = customers;
    this.#storage = storage;
  }

  async run(actor: Actor, input: ImportCustomers): Promise<ImportCustomersResult> {
    const results: ImportedCustomer[] = [];
    const rows = await this.#check(actor, input, results);
    const names = rows.map(({ prepared }) => prepared.owner);
    const known = await knownCustomers(this.#storage.read, names);
    const fresh: Row[] = [];
    const withCredits: Row[] = [];
    for (const row of rows) {
      const { id = null, hasPool = false } = known.get(nameOf(row.prepared.owner)) ?? {};
      if (id !== null) results.push({ index: row.index, status: 'exists', id });
      else if (input.dryRun) results.push({ index: row.index, status: 'importable' });
      else if (hasPool || row.prepared.input.credits) withCredits.push(row);
      else fresh.push(row);
    }
    for (let start = 0; start < fresh.length; start += CREATED_AT_ONCE)
      withCredits.push(
        ...(await this.#create(actor, fresh.slice(start, start + CREATED_AT_ONCE), results)),
      );
    for (let start = 0; start < withCredits.length; start += WITH_CREDITS_AT_ONCE) {
      const some = withCredits.slice(start, start + WITH_CREDITS_AT_ONCE);
      results.push(...(await Promise.all(some.map((row) => this.#createOne(actor, row)))));
    }
    return { results: results.sort((a, b) => a.index - b.index) };
  }

  /** Checks each row on its own; the results of invalid rows are added to `refused`. */
  async #check(
    actor: Actor,
    { customers, projectId }: ImportCustomers,
    refused: ImportedCustomer[],
  ): Promise<Row[]> {
    const { principal } = actor;
    if (projectId !== undefined) await this.#customers.chooseProject(principal, projectId);
    const rows = new Map<string, Row>();
    const plans = onceEach<void>();
    for (const [index, input] of customers.entries()) {
      if (index > 0 && index % CHECKED_AT_ONCE === 0) await setImmediate();
      try {
        const wrong = wrongIn(input);
        if (wrong !== null) throw new KeywardError('invalid_body', wrong);
        const row = { ...(projectId !== undefined && { projectId }), ...(input as CreateCustomer) };
        const prepared = await this.#customers.prepare(principal, row);
        const { owner, project } = prepared;
        const first = rows.get(nameOf(owner));
        if (first !== undefined)
          throw new KeywardError(
            'customer_exists',
            `Row ${first.index} has the same customAccountId.`,
          );
        const { planId } = row;
        if (planId)
          await plans(`${project.id} ${planId}`, () =>
            requirePlan(this.#storage.point, project.id, planId),
          );
        await requireUnits(this.#storage.point, project.id, prepared.columns.limits);
        rows.set(nameOf(owner), { index, prepared });
      } catch (error) {
        refused.push(refusal(index, error));
      }
    }
    return [...rows.values()];
  }

  /** Returns the rows that were left out: they must be created one by one. */
  async #create(actor: Actor, rows: readonly Row[], results: ImportedCustomer[]): Promise<Row[]> {
    const prepared = rows.map((row) => row.prepared);
    for (let attempt = 1; ; attempt++)
      try {
        const ids = await this.#customers.createNew(actor, prepared);
        for (const { index, prepared: each } of rows) {
          const id = ids.get(each);
          if (id !== undefined) results.push({ index, status: 'imported', id });
        }
        return rows.filter((row) => !ids.has(row.prepared));
      } catch (error) {
        // For example, a plan was deleted since it was checked: only the rows with this plan are refused.
        if (error instanceof KeywardError && error.status < 500) return [...rows];
        if (attempt === ATTEMPTS || !isUniqueViolation(error, 'customers')) throw error;
      }
  }

  async #createOne(
    actor: Actor,
    { index, prepared: { input, owner } }: Row,
  ): Promise<ImportedCustomer> {
    try {
      const { id } = await this.#customers.create(actor, input);
      return { index, status: 'imported', id };
    } catch (error) {
      // Another request has created it since it was looked for.
      const known = await knownCustomers(this.#storage.read, [owner]);
      const id = known.get(nameOf(owner))?.id ?? null;
      if (id !== null && error instanceof KeywardError && error.code === 'customer_exists')
        return { index, status: 'exists', id };
      return refusal(index, error);
    }
  }
}

function refusal(index: number, error: unknown): ImportedCustomer {
  // An error of the server fails the whole request, not only the row.
  if (!(error instanceof KeywardError) || error.status >= 500) throw error;
  return { index, status: 'refused', code: error.code, message: error.message };
}
