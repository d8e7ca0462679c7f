import type { Selectable } from 'kysely';
import type { ApiKeysTable } from '../../../storage/schema/keys.ts';
import type { Unit } from '../../changes/index.ts';
import { creditsRecord, newPoolRow } from '../../credits/index.ts';
import type { ProjectRow } from '../../projects/index.ts';
import { poolOwnerOf } from '../credits.ts';
import { apiKey, NEW_KEY_JOINED, valuePart } from '../record.ts';
import type { CheckedRow } from './import-row.ts';

export interface RowWithProject extends CheckedRow {
  readonly index: number;
  readonly project: ProjectRow;
}

type NewKey = Omit<Selectable<ApiKeysTable>, 'seq'>;

export function newKey({ columns, project }: RowWithProject, id: string, importId: string): NewKey {
  return {
    id,
    account_id: project.account_id,
    project_id: project.id,
    ...columns,
    creation_context: JSON.stringify({ importId }),
    limit_group: id,
    rotated_from: null,
    rotated_to: null,
  };
}

/** The rows of `credit_pools` for those keys that are imported with credits. */
export const poolRows = (rows: readonly RowWithProject[], made: readonly NewKey[]) =>
  rows.flatMap(({ pool }, n) =>
    pool === null ? [] : [newPoolRow(poolOwnerOf(made[n]!), pool, made[n]!.updated_at)],
  );

/** One audit row per project of the batch, with its first and last key. Each key has the id of the import. */
export function recordImport(
  unit: Unit,
  rows: readonly RowWithProject[],
  made: readonly NewKey[],
  importId: string,
  events: boolean,
): void {
  for (const [projectId, keys] of Map.groupBy(made, (row) => row.project_id))
    unit.audit({
      action: 'api-key.imported',
      accountId: keys[0]!.account_id,
      projectId,
      targetType: 'api-key',
      targetId: importId,
      after: { importId, keys: keys.length, firstId: keys[0]!.id, lastId: keys.at(-1)!.id, events },
    });
  for (const [n, key] of made.entries()) {
    const { id, hash, account_id: accountId, project_id: projectId } = key;
    unit.affects({ kind: 'api-key', id, hash, accountId, projectId });
    if (events) emitCreated(unit, rows[n]!, key);
  }
}

function emitCreated(unit: Unit, { project, value, pool }: RowWithProject, key: NewKey): void {
  const joined = { seq: 0, env: project.env, key_prefix: project.key_prefix };
  const credits = pool && creditsRecord(pool, unit.now);
  const row = { ...key, ...NEW_KEY_JOINED, ...joined, credits };
  unit.emit({
    type: 'api-key.created',
    accountId: row.account_id,
    projectId: row.project_id,
    data: apiKey(row),
    // Of a key that was imported as a hash, the value is unknown: the event has only the mask.
    ...(value !== undefined && valuePart(row, apiKey(row, value))),
  });
}
