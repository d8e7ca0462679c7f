import type { InsertUnit } from '../changes/index.ts';
import { apiKey, valuePart } from './record.ts';
import type { ApiKey } from './schema.ts';
import type { KeyWithCredits } from './store.ts';

type ChangeUnit = Pick<InsertUnit, 'emit' | 'audit' | 'affects'>;

/** The event of each action. */
const TOPIC_OF = {
  'api-key.created': 'api-key.created',
  'api-key.updated': 'api-key.updated',
  'api-key.reactivated': 'api-key.updated',
  'api-key.deleted': 'api-key.deleted',
  'api-key.erased': 'api-key.deleted',
} as const;

/** Returns the record with the new value. */
export function recordCreated(unit: ChangeUnit, row: KeyWithCredits, value: string): ApiKey {
  const record = apiKey(row, value);
  recordChange(unit, 'api-key.created', null, row, record);
  return record;
}

/** Audit row, event and cache invalidation. */
export function recordChange(
  unit: ChangeUnit,
  action: keyof typeof TOPIC_OF,
  before: KeyWithCredits | null,
  after: KeyWithCredits | null,
  withValue?: ApiKey,
): void {
  const row = (after ?? before)!;
  const data = withValue ? { ...withValue, key: row.mask } : apiKey(row);
  unit.emit({
    type: TOPIC_OF[action],
    accountId: row.account_id,
    projectId: row.project_id,
    data,
    ...(withValue && valuePart(row, withValue)),
  });
  unit.audit({
    action,
    accountId: row.account_id,
    projectId: row.project_id,
    targetType: 'api-key',
    targetId: row.id,
    before: before && (after ? apiKey(before) : data),
    after: after && data,
  });
  const { id, account_id: accountId, project_id: projectId } = row;
  for (const hash of new Set([before?.hash, after?.hash]))
    if (hash !== undefined) unit.affects({ kind: 'api-key', id, hash, accountId, projectId });
}
