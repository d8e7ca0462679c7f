import type { AuditLog } from 'keyward';

export interface Difference {
  readonly field: string;
  /** As JSON; null if the field is missing. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Fields that differ between the two records, or all set fields if there is only one record. */
export function differencesOf({ before, after }: Pick<AuditLog, 'before' | 'after'>): Difference[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return (
    [...fields]
      .map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
      // The entry itself has the time.
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
