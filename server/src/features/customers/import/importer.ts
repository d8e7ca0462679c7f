import type { Actor } from '../../../kernel/actor.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { createCheck } from '../../../kernel/json/check-value.ts';
import { CreateCustomer } from '../schema.ts';
import type { CustomerService } from '../service.ts';
import type { ImportCustomers, ImportCustomersResult, ImportedCustomer } from './schema.ts';

/** This many customers are created concurrently, so that their transactions can share a commit. */
const AT_ONCE = 8;

const wrongIn = createCheck(CreateCustomer, 'json', 'The row');

/**
 * Imports customers. Each row is a separate change, like `POST /customers`. If a request fails halfway, it
 * can be repeated: customers that exist already are not changed.
 */
export async function importCustomers(
  service: CustomerService,
  actor: Actor,
  { customers, projectId, dryRun = false }: ImportCustomers,
): Promise<ImportCustomersResult> {
  if (projectId !== undefined) await service.chooseProject(actor.principal, projectId);
  const firstRows = new Map<string, number>();
  const importRow = async (index: number, input: unknown): Promise<ImportedCustomer> => {
    const wrong = wrongIn(input);
    if (wrong !== null) throw new KeywardError('invalid_body', wrong);
    const row = { ...(projectId !== undefined && { projectId }), ...(input as CreateCustomer) };
    const name = JSON.stringify([row.projectId, row.customAccountId]);
    const first = firstRows.get(name);
    if (first !== undefined)
      throw new KeywardError('customer_exists', `Row ${first} has the same customAccountId.`);
    firstRows.set(name, index);
    const existing = await service.check(actor.principal, row);
    if (existing !== null) return { index, status: 'exists', id: existing };
    if (dryRun) return { index, status: 'importable' };
    const { id } = await service.create(actor, row);
    return { index, status: 'imported', id };
  };
  const results: ImportedCustomer[] = [];
  for (let start = 0; start < customers.length; start += AT_ONCE) {
    const some = customers.slice(start, start + AT_ONCE).map((input, n) => {
      const index = start + n;
      return importRow(index, input).catch((error) => refusal(index, error));
    });
    results.push(...(await Promise.all(some)));
  }
  return { results };
}

function refusal(index: number, error: unknown): ImportedCustomer {
  // An error of the server fails the whole request, not only the row.
  if (!(error instanceof KeywardError) || error.status >= 500) throw error;
  return { index, status: 'refused', code: error.code, message: error.message };
}
