import { hash } from 'node:crypto';
import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import { readSha256 } from '../../../features/api-keys/import/key-hash.ts';
import { UsageError } from '../../failure.ts';
import { aFlag, asGiven, aTime, type FieldReader, RowProblem, readersOf } from './field-readers.ts';
import { FileProblem } from './source-row.ts';

/** How field names of the file are mapped to those of Keyward. */
export interface FieldRules {
  readonly kind: RowKind;
  readonly renamed: ReadonlyMap<string, string>;
  readonly ignored: ReadonlySet<string>;
  /** The name of rows without one. */
  readonly name: string | undefined;
}

/** What the rows of a file describe. */
export interface RowKind {
  readonly readers: Readonly<Record<string, FieldReader>>;
  /** Each row has one of these. */
  readonly identity: readonly string[];
  /**
   * Rows with the same digest are duplicates: only the first is imported. Null without a usable identity;
   * the row is sent anyway, and the server reports the problem.
   */
  digestOf(row: Readonly<Record<string, unknown>>): Buffer | null;
  readonly duplicate: { readonly code: string; readonly field: string };
}

export const KEY_ROWS: RowKind = {
  readers: {
    ...readersOf(API_KEY),
    projectId: asGiven,
    key: asGiven,
    keyHash: asGiven,
    prefix: asGiven,
    isActive: aFlag,
    createdAt: aTime,
  },
  identity: ['key', 'keyHash'],
  digestOf({ key, keyHash }) {
    if (typeof key === 'string') return hash('sha256', key, 'buffer');
    return typeof keyHash === 'string' ? readSha256(keyHash) : null;
  },
  duplicate: { code: 'key_exists', field: 'value' },
};

export const CUSTOMER_ROWS: RowKind = {
  readers: { ...readersOf(CUSTOMER), projectId: asGiven },
  identity: ['customAccountId'],
  digestOf: ({ projectId, customAccountId }) =>
    hash('sha256', JSON.stringify([projectId, customAccountId]), 'buffer'),
  duplicate: { code: 'customer_exists', field: 'customAccountId' },
};

const isField = ({ readers }: RowKind, name: string): boolean =>
  Object.hasOwn(readers, name) || Object.values(readers).some(({ parts }) => parts?.includes(name));

/** Reads the values of --map, --ignore and --name. */
export function rulesOf(
  kind: RowKind,
  values: { map?: string[]; ignore?: string[]; name?: string },
): FieldRules {
  const renamed = new Map<string, string>();
  for (const text of values.map ?? []) {
    const [, from, to] = /^(.+)=(\w+)$/.exec(text) ?? [];
    if (from === undefined || to === undefined || !isField(kind, to))
      throw new UsageError(`--map takes FROM=TO, where TO is a field of Keyward; not ${text}`);
    renamed.set(from, to);
  }
  return { kind, renamed, ignored: new Set(values.ignore), name: values.name };
}

/**
 * Without a header, the first line contains keys, which no error may quote. So an error quotes a column name
 * only if the line also has a column that identifies rows.
 */
export function checkHeader(names: readonly string[], rules: FieldRules): void {
  const { identity } = rules.kind;
  const ours = names
    .filter((name) => !rules.ignored.has(name))
    .map((name) => rules.renamed.get(name) ?? name);
  if (!identity.some((name) => ours.includes(name)))
    throw new FileProblem(
      `the first line must contain the column names, including ${identity.join(' or ')}; use --map to rename a column.`,
    );
  const unknown = ours.find((name) => !isField(rules.kind, name));
  if (unknown !== undefined) throw new FileProblem(unknownField(unknown));
}

/**
 * Converts a row for the server: renames fields, omits empty ones, and converts values that CSV and
 * databases can only write as text or numbers. The server validates the result.
 */
export function importFields(
  raw: Readonly<Record<string, unknown>>,
  rules: FieldRules,
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [given, value] of Object.entries(raw)) {
    if (rules.ignored.has(given)) continue;
    const name = rules.renamed.get(given) ?? given;
    if (!isField(rules.kind, name)) unknown.push(name);
    else if (Object.hasOwn(row, name)) throw new RowProblem(`${name} is given twice.`);
    else if (value !== '' && value !== null) row[name] = value;
  }
  // Checked before an error quotes a field name: without an identity, the names may be anything.
  const { identity } = rules.kind;
  if (identity.every((name) => row[name] === undefined))
    throw new RowProblem(`${identity.join(' or ')} is missing.`);
  if (unknown.length > 0) throw new RowProblem(unknownField(unknown[0]!));
  if (rules.name !== undefined) row.name ??= rules.name;
  return converted(row, rules.kind);
}

const unknownField = (name: string): string =>
  `unknown field ${JSON.stringify(name)}: rename it with --map ${name}=FIELD, or ignore it with --ignore ${name}.`;

function converted(row: Record<string, unknown>, { readers }: RowKind): Record<string, unknown> {
  const fields = { ...row };
  for (const [name, { read, parts = [] }] of Object.entries(readers)) {
    if ([name, ...parts].every((each) => row[each] === undefined)) continue;
    const value = read(row[name], row);
    if (value !== undefined) fields[name] = value;
    for (const part of parts) delete fields[part];
  }
  return fields;
}
