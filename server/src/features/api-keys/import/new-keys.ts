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

/** A row that becomes a key with this id. */
export interface NewRow extends RowWithProject {
  readonly id: string;
}

type NewKey = Omit<Selectable<ApiKeysTable>, 'seq'>;

export function newKey({ columns, project, id }: NewRow, importId: string): NewKey {
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
export function auditImport(
  unit: Unit,
  rows: readonly NewRow[],
  importId: string,
  events: boolean,
): void {
  for (const [projectId, keys] of Map.groupBy(rows, (row) => row.project.id))
    unit.audit({
      action: 'api-key.imported',
      accountId: keys[0]!.project.account_id,
      projectId,
      targetType: 'api-key',
      targetId: importId,
      after: { importId, keys: keys.length, firstId: keys[0]!.id, lastId: keys.at(-1)!.id, events },
    });
}

/** Invalidates what caches may know about the new key, and emits its event if `events` is set. */
export function announce(unit: Unit, row: NewRow, importId: string, events: boolean): void {
  const { id, columns, project } = row;
  const { id: projectId, account_id: accountId } = project;
  unit.affects({ kind: 'api-key', id, hash: columns.hash, accountId, projectId });
  if (events) emitCreated(unit, row, newKey(row, importId));
}

function emitCreated(unit: Unit, { project, value, pool }: NewRow, key: NewKey): void {
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
