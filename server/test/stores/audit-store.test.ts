import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sealer } from '../../src/features/audit/index.ts';
import {
  findPosition,
  type LogFilter,
  type LogRow,
  listRows,
} from '../../src/features/audit/store.ts';
import type { Tenant } from '../../src/kernel/authority.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { deriveSecrets } from '../../src/kernel/secrets/crypto.ts';
import { openTestStorage } from '../harness/test-storage.ts';

const secrets = deriveSecrets('the root secret of a log that is only for tests');
const ids = createIds();

let open: Awaited<ReturnType<typeof openTestStorage>>;
beforeEach(async () => {
  open = await openTestStorage();
});
afterEach(() => open.dispose());

const sealer = (rowsPerStep: number) =>
  new Sealer({
    storage: open.storage,
    secrets,
    clock: () => 1_000,
    onError: () => {},
    rowsPerStep,
  });

const [accounts, projects, people] = [
  ['acc_1', 'acc_2'],
  ['prj_1', 'prj_2', null],
  ['a', 'b'],
];
const actions = ['api-key.created', 'api-key.updated', 'project.created'];

const newRow = fc.record({
  account_id: fc.constantFrom(...accounts),
  project_id: fc.constantFrom(...projects),
  actor_id: fc.constantFrom(...people),
  target_id: fc.constantFrom(...people),
  action: fc.constantFrom(...actions),
  // Clocks are set back, and many rows are written in one millisecond.
  created_at: fc.integer({ min: 1, max: 6 }),
});
type NewRow = typeof newRow extends fc.Arbitrary<infer T> ? T : never;

async function append(rows: readonly NewRow[]): Promise<void> {
  const whole = rows.map((row) => ({
    ...row,
    id: ids('aud'),
    actor_type: 'access-key',
    target_type: row.action.split('.')[0]!,
    before: null,
    after: '{}',
    request_id: null,
    client_address: null,
    user_agent: null,
  }));
  await open.storage.transaction((tx) => tx.insertInto('audit_log').values(whole).execute());
}

const filter: fc.Arbitrary<LogFilter> = fc.record(
  {
    actor: fc.constantFrom(...people),
    target: fc.constantFrom(...people, 'a,b', 'b,other'),
    targetType: fc.constantFrom('api-key', 'project'),
    action: fc.constantFrom('api-key.', ...actions),
    projectId: fc.constantFrom('prj_1', 'null'),
    from: fc.option(fc.integer({ min: 1, max: 6 })),
    to: fc.option(fc.integer({ min: 1, max: 7 })),
  },
  { requiredKeys: ['from', 'to'] },
);

const tenant: fc.Arbitrary<Tenant> = fc.record({
  accountId: fc.constantFrom(...accounts),
  projectIds: fc.constantFrom(null, ['prj_1'], ['prj_1', 'prj_2']),
});

/** The rule of the list, applied to all rows in memory. */
function chosen(rows: readonly LogRow[], { accountId, projectIds }: Tenant, of: LogFilter) {
  const { action } = of;
  return rows
    .filter(
      (row) =>
        row.account_id === accountId &&
        (projectIds === null || projectIds.includes(row.project_id ?? 'none')) &&
        (of.actor === undefined || row.actor_id === of.actor) &&
        (of.target === undefined || of.target.split(',').includes(row.target_id)) &&
        (of.targetType === undefined || row.target_type === of.targetType) &&
        (action === undefined ||
          (action.endsWith('.') ? row.action.startsWith(action) : row.action === action)) &&
        (of.projectId === undefined || String(row.project_id) === of.projectId) &&
        (of.from === null || row.created_at >= of.from) &&
        (of.to === null || row.created_at < of.to),
    )
    .toSorted((a, b) => b.created_at - a.created_at || (b.id < a.id ? -1 : 1))
    .map(({ id, sealed }) => [id, sealed]);
}

async function pages(who: Tenant, of: LogFilter, size: number) {
  const listed: [string, boolean][] = [];
  for (;;) {
    const last = listed.at(-1)?.[0];
    const before = last === undefined ? null : (await findPosition(open.storage, who, last))!;
    const page = await listRows(open.storage, { tenant: who, filter: of, before, size });
    listed.push(...page.map(({ id, sealed }): [string, boolean] => [id, Boolean(sealed)]));
    if (page.length < size) return listed;
  }
}

describe('the list', () => {
  it('is the same for every query plan, page by page, sealed or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(newRow, { minLength: 1, maxLength: 12 }),
        fc.array(newRow, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.tuple(tenant, filter, fc.integer({ min: 1, max: 5 })), { minLength: 4 }),
        async (first, later, rowsPerStep, queries) => {
          await append(first);
          await sealer(rowsPerStep).seal();
          const sealedUpTo = await highest();
          await append(later);
          const all = await open.storage.read.selectFrom('audit_log').selectAll().execute();
          const rows = all.map((row) => ({ ...row, sealed: row.seq <= sealedUpTo }));
          for (const [who, of, size] of queries)
            expect(await pages(who, of, size)).toEqual(chosen(rows, who, of));
          await sealer(rowsPerStep).seal();
        },
      ),
      { numRuns: 30 },
    );
  });

  it('has no position for a row of another account, sealed or not', async () => {
    const row = { project_id: null, actor_id: 'a', target_id: 'b', action: 'x.y', created_at: 1 };
    await append([{ ...row, account_id: 'acc_1' }]);
    const { id } = await open.storage.read
      .selectFrom('audit_log')
      .select('id')
      .executeTakeFirstOrThrow();
    const found = (accountId: string) =>
      findPosition(open.storage, { accountId, projectIds: null }, id);
    for (const _ of ['unsealed', 'sealed']) {
      expect(await found('acc_1')).toEqual({ created_at: 1, id });
      expect(await found('acc_2')).toBeUndefined();
      await sealer(1).seal();
    }
  });
});

async function highest(): Promise<number> {
  const { seq } = await open.storage.read
    .selectFrom('audit_log')
    .select((eb) => eb.fn.max('seq').as('seq'))
    .executeTakeFirstOrThrow();
  return Number(seq);
}
