import type { Actor } from '../../../kernel/actor.ts';
import { requireScope, tenantOf } from '../../../kernel/authority.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { isIdOf, type MakeId } from '../../../kernel/ids.ts';
import { onceEach } from '../../../kernel/once-each.ts';
import type { Secrets } from '../../../kernel/secrets/crypto.ts';
import { inSlices, nextTurn } from '../../../kernel/slices.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { isUniqueViolation, type Storage } from '../../../storage/index.ts';
import type { ChangeRunner, Unit } from '../../changes/index.ts';
import { requirePlan, requireUnits } from '../../policies/index.ts';
import type { ProjectCache, ProjectRow } from '../../projects/index.ts';
import { projectFor } from '../project-for.ts';
import { checkRow } from './import-row.ts';
import {
  announce,
  auditImport,
  type NewRow,
  newKey,
  poolRows,
  type RowWithProject,
} from './new-keys.ts';
import type { ImportApiKeys, ImportedRow, ImportResult } from './schema.ts';
import { insertKeys, insertPools, type TakenHash, takenHashes } from './store.ts';

/**
 * Rows that are checked, or written, before other requests have their turn: 25 take about 5 ms. A thousand in one
 * piece took up to 835 ms.
 */
const ROWS_AT_ONCE = 25;
/** Another request may create the same key between our read and our write; then we read again. */
const ATTEMPTS = 3;

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly clock: Clock;
  readonly projects: ProjectCache;
}

/** Imports keys that were created elsewhere. Each batch is one change. */
export class KeyImporter {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async run(actor: Actor, input: ImportApiKeys): Promise<ImportResult> {
    const { accountId } = tenantOf(actor.principal);
    const importId = input.importId ?? this.#parts.ids('imp');
    if (!isIdOf('imp', importId))
      throw new KeywardError('invalid_body', 'importId must be the id of an earlier import.');
    const results: ImportedRow[] = [];
    const rows = await this.#check(actor, input, results);
    const split = input.dryRun
      ? splitByExisting(
          rows,
          await takenHashes(this.#parts.storage.read, accountId, hashesOf(rows)),
        )
      : await this.#write(actor, accountId, rows, importId, input.events === true);
    results.push(...split.otherResults);
    for (const [n, { index }] of split.newRows.entries())
      results.push(
        input.dryRun
          ? { index, status: 'importable' }
          : { index, status: 'imported', id: split.ids[n]! },
      );
    return { accountId, importId, results: results.sort((a, b) => a.index - b.index) };
  }

  /** Checks each row on its own; invalid rows are added to `refused`. */
  async #check(
    actor: Actor,
    input: ImportApiKeys,
    refused: ImportedRow[],
  ): Promise<RowWithProject[]> {
    const projects = onceEach<ProjectRow>();
    const projectOf = (id = input.projectId) =>
      projects(id ?? '', () => projectFor(this.#parts.projects, actor.principal, id));
    if (input.projectId !== undefined) await projectOf();
    const now = this.#parts.clock();
    const byHash = new Map<string, RowWithProject>();
    const plans = onceEach<void>();
    for (const [index, row] of input.keys.entries()) {
      if (index > 0 && index % ROWS_AT_ONCE === 0) await nextTurn();
      try {
        const context = { now, makeId: () => this.#parts.ids('gr') };
        const checked = checkRow(row, this.#parts.secrets, context);
        const twin = byHash.get(checked.columns.hash);
        if (twin !== undefined)
          throw new KeywardError('key_exists', `Row ${twin.index} has the same value.`);
        const project = await projectOf(checked.projectId);
        if (checked.pool !== null) {
          const resource = { accountId: project.account_id, projectId: project.id };
          requireScope(actor.principal, 'credits:write', resource, 'project_not_found');
        }
        const { plan_id: planId } = checked.columns;
        if (planId !== null)
          await plans(`${project.id} ${planId}`, () =>
            requirePlan(this.#parts.storage.point, project.id, planId),
          );
        await requireUnits(this.#parts.storage.point, project.id, checked.columns.limits);
        byHash.set(checked.columns.hash, { ...checked, index, project });
      } catch (error) {
        refused.push(refusal(index, error));
      }
    }
    return [...byHash.values()];
  }

  async #write(
    actor: Actor,
    accountId: string,
    rows: readonly RowWithProject[],
    importId: string,
    events: boolean,
  ): Promise<ImportSplit> {
    if (rows.length === 0) return { newRows: [], otherResults: [], ids: [] };
    const hashes = hashesOf(rows);
    const work = async (unit: Unit): Promise<ImportSplit> => {
      const split = splitByExisting(rows, await takenHashes(unit.tx, accountId, hashes));
      if (split.newRows.length === 0) return split;
      // Read again, and locked: a plan may have been deleted since it was checked.
      for (const [projectId, planId] of plansOf(split.newRows))
        await requirePlan(unit.tx, projectId, planId);
      const ids = split.newRows.map(() => this.#parts.ids('key'));
      const rowsWithIds = split.newRows.map((row, n) => ({ ...row, id: ids[n]! }));
      for await (const slice of inSlices(inOrderOfHashes(rowsWithIds), ROWS_AT_ONCE)) {
        const made = slice.map((row) => newKey(row, importId));
        await insertKeys(unit.tx, made);
        await insertPools(unit.tx, poolRows(slice, made));
      }
      for await (const slice of inSlices(rowsWithIds, ROWS_AT_ONCE))
        for (const row of slice) announce(unit, row, importId, events);
      auditImport(unit, rowsWithIds, importId, events);
      return { ...split, ids };
    };
    for (let attempt = 1; ; attempt++)
      try {
        return await this.#parts.changes.run(actor, work);
      } catch (error) {
        if (attempt === ATTEMPTS || !isUniqueViolation(error, 'api_keys')) throw error;
      }
  }
}

interface ImportSplit {
  readonly newRows: readonly RowWithProject[];
  /** The results of rows whose value already exists, in the same or another project. */
  readonly otherResults: readonly ImportedRow[];
  /** The ids of `newRows`, once written. */
  readonly ids: readonly string[];
}

/** The plans of the rows, each once, with their projects. */
const plansOf = (rows: readonly RowWithProject[]): Iterable<readonly [string, string]> =>
  new Map(
    rows.flatMap(({ project, columns: { plan_id } }) =>
      plan_id === null ? [] : [[plan_id, [project.id, plan_id] as const]],
    ),
  ).values();

/** The order of a unique index, so that two imports of the same values cannot deadlock. */
const inOrderOfHashes = (rows: readonly NewRow[]): NewRow[] =>
  rows.toSorted((a, b) => (a.columns.hash < b.columns.hash ? -1 : 1));

const hashesOf = (rows: readonly RowWithProject[]): string[] =>
  rows.map(({ columns }) => columns.hash);

function splitByExisting(
  rows: readonly RowWithProject[],
  taken: ReadonlyMap<string, TakenHash>,
): ImportSplit {
  const newRows: RowWithProject[] = [];
  const otherResults: ImportedRow[] = [];
  for (const row of rows) {
    const { index, project } = row;
    const existing = taken.get(row.columns.hash);
    if (existing === undefined) newRows.push(row);
    else if (existing.project_id === project.id)
      otherResults.push({ index, status: 'exists', id: existing.id });
    else
      otherResults.push(
        refusal(index, new KeywardError('key_exists', VALUE_EXISTS_IN_OTHER_PROJECT)),
      );
  }
  return { newRows, otherResults, ids: [] };
}

const VALUE_EXISTS_IN_OTHER_PROJECT = 'Another project of this account has a key with this value.';

function refusal(index: number, error: unknown): ImportedRow {
  if (!(error instanceof KeywardError)) throw error;
  return { index, status: 'refused', code: error.code, message: error.message };
}
