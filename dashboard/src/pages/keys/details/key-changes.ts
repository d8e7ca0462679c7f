import type { AuditLog } from '../../../api/records.ts';
import { limitText } from '../../../text/limits.ts';
import { exactTime } from '../../../text/times.ts';

export interface Change {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

type Entry = Pick<AuditLog, 'action' | 'before' | 'after'>;

const HEADLINES: Record<string, string> = {
  'api-key.created': 'Created',
  'api-key.updated': 'Changed',
  'api-key.deleted': 'Revoked',
  'api-key.reactivated': 'Reactivated',
  'api-key.erased': 'Erased',
};

export const headlineOf = ({ action }: Entry): string => HEADLINES[action] ?? action;

const FIELDS = {
  name: 'Name',
  key: 'Value',
  customAccountId: 'Account id',
  customUserId: 'User id',
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
