import type { ApiKey, AuditLog } from '../../../api/records.ts';
import { limitText } from '../../../text/limits.ts';
import { exactTime } from '../../../text/times.ts';
import type { KeyBody } from '../dialogs/key-draft.ts';

export interface Change {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

type Entry = Pick<AuditLog, 'action' | 'before' | 'after'>;

const HEADLINES: Record<string, string> = {
  'api-key.created': 'Created',
  'api-key.updated': 'Updated',
  'api-key.deleted': 'Revoked',
  'api-key.reactivated': 'Reactivated',
  'api-key.erased': 'Deleted permanently',
};

export const headlineOf = ({ action }: Entry): string => HEADLINES[action] ?? action;

const FIELDS = {
  name: 'Name',
  key: 'Value',
  customAccountId: 'Account ID',
  customUserId: 'User ID',
  expiresAt: 'Expiry',
  rateLimitConfigs: 'Rate limit',
  allowedDomains: 'Allowed domains',
  customMetaData: 'Metadata',
  rotatedTo: 'Rotated to',
} as const;

/** What a person would call the change, field by field. */
export function changesOf({ before, after }: Entry): readonly Change[] {
  if (before === null || after === null) return [];
  return (Object.keys(FIELDS) as (keyof typeof FIELDS)[])
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => ({
      field: FIELDS[field],
      before: textOf(field, before[field]),
      after: textOf(field, after[field]),
    }));
}

/**
 * Fields that somebody else changed since the form was opened, and that would be changed again:
 * the value now as `before`, the one from the form as `after`.
 */
export function conflictsOf(opened: ApiKey, current: ApiKey, body: KeyBody): readonly Change[] {
  const entry = (before: object, after: object) =>
    changesOf({ action: '', before: { ...before }, after: { ...after } });
  const { expiry, ...fields } = body;
  const edited = { ...opened, ...fields, ...(expiry !== undefined && { expiresAt: expiry }) };
  const theirs = new Set(entry(opened, current).map(({ field }) => field));
  const own = new Set(entry(opened, edited).map(({ field }) => field));
  return entry(current, edited).filter(({ field }) => theirs.has(field) && own.has(field));
}

function textOf(field: keyof typeof FIELDS, value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (field === 'expiresAt') return exactTime(Date.parse(String(value)));
  if (field === 'rateLimitConfigs') return limitText(value as Parameters<typeof limitText>[0]);
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : shortened(JSON.stringify(value));
}

const SHOWN_MAX = 200;

const shortened = (text: string): string =>
  text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
