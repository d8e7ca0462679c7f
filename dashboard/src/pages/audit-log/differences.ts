import type { AuditLog } from '../../api/records.ts';

export interface Difference {
  readonly field: string;
  /** As JSON; null: the field was not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** What differs between the two records, field by field; of one that is alone, all that is set. */
export function differencesOf({ before, after }: Pick<AuditLog, 'before' | 'after'>): Difference[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return (
    [...fields]
      .map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
      // The time of the row says it already.
      .filter((one) => one.before !== one.after && one.field !== 'updatedAt')
      .filter((one) => (before && after) || !isEmpty(one.before ?? one.after))
  );
}

const textOf = (value: unknown): string | null => {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
};

const isEmpty = (text: string | null): boolean =>
  text === null || text === 'null' || text === '{}' || text === '[]';
