import { UsageError } from './failure.ts';

export const NOTHING_TO_CHANGE = 'nothing to change: give at least one option';

/** Names of `--clear`, each with the field of the API that it sets to null. */
type Clearable = Readonly<Record<string, string>>;

export const CLEAR_OPTION = (fields: Clearable) =>
  ({
    value: 'FIELD',
    multiple: true,
    help: `Unset one of: ${Object.keys(fields).join(', ')} (repeatable)`,
  }) as const;

export function cleared(
  names: readonly string[] | undefined,
  fields: Clearable,
): Record<string, null> {
  return Object.fromEntries(
    (names ?? []).map((name) => {
      const field = fields[name];
      if (field === undefined)
        throw new UsageError(`--clear takes ${Object.keys(fields).join(', ')}; not ${name}`);
      return [field, null];
    }),
  );
}
