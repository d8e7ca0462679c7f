import { hash } from 'node:crypto';
import { readSha256 } from '../../../features/api-keys/import/key-hash.ts';
import { UsageError } from '../../failure.ts';
import { readNamedLimit, readRateLimit } from '../../values.ts';
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
  readonly fields: ReadonlySet<string>;
  /** Each row has one of these. */
  readonly identity: readonly string[];
  /**
   * Rows with the same digest are duplicates: only the first is imported. Null without a usable identity;
   * the row is sent anyway, and the server reports the problem.
   */
  digestOf(row: Readonly<Record<string, unknown>>): Buffer | null;
  readonly duplicate: { readonly code: string; readonly field: string };
}

const SHARED_FIELDS = [
  'name',
  'projectId',
  'planId',
  'customAccountId',
  'customMetaData',
  'permissions',
  'limits',
  'credits',
  'refillAmount',
  'refillInterval',
  'refillTimezone',
  'allowedIPs',
  'tags',
];

export const KEY_ROWS: RowKind = {
  fields: new Set([
    ...SHARED_FIELDS,
    'key',
    'keyHash',
    'prefix',
    'customUserId',
    'expiry',
    'expiresAt',
    'rateLimitConfigs',
    'rateLimit',
    'rateLimitTtl',
    'allowedDomains',
    'startsAt',
    'isActive',
    'createdAt',
  ]),
  identity: ['key', 'keyHash'],
  digestOf({ key, keyHash }) {
    if (typeof key === 'string') return hash('sha256', key, 'buffer');
    return typeof keyHash === 'string' ? readSha256(keyHash) : null;
  },
  duplicate: { code: 'key_exists', field: 'value' },
};

export const CUSTOMER_ROWS: RowKind = {
  fields: new Set([...SHARED_FIELDS, 'email']),
  identity: ['customAccountId'],
  digestOf: ({ projectId, customAccountId }) =>
    hash('sha256', JSON.stringify([projectId, customAccountId]), 'buffer'),
  duplicate: { code: 'customer_exists', field: 'customAccountId' },
};

/** Reads the values of --map, --ignore and --name. */
export function rulesOf(
  kind: RowKind,
  values: { map?: string[]; ignore?: string[]; name?: string },
): FieldRules {
  const renamed = new Map<string, string>();
  for (const text of values.map ?? []) {
    const [, from, to] = /^(.+)=(\w+)$/.exec(text) ?? [];
    if (from === undefined || to === undefined || !kind.fields.has(to))
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
  const { fields, identity } = rules.kind;
  const ours = names
    .filter((name) => !rules.ignored.has(name))
    .map((name) => rules.renamed.get(name) ?? name);
  if (!identity.some((name) => ours.includes(name)))
    throw new FileProblem(
      `the first line must contain the column names, including ${identity.join(' or ')}; use --map to rename a column.`,
    );
  const unknown = ours.find((name) => !fields.has(name));
  if (unknown !== undefined) throw new FileProblem(unknownField(unknown));
}

/** Describes the problem with a row, without quoting its values. */
export class RowProblem extends Error {}

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
    if (!rules.kind.fields.has(name)) unknown.push(name);
    else if (Object.hasOwn(row, name)) throw new RowProblem(`${name} is given twice.`);
    else if (value !== '' && value !== null) row[name] = value;
  }
  // Checked before an error quotes a field name: without an identity, the names may be anything.
  const { identity } = rules.kind;
  if (identity.every((name) => row[name] === undefined))
    throw new RowProblem(`${identity.join(' or ')} is missing.`);
  if (unknown.length > 0) throw new RowProblem(unknownField(unknown[0]!));
  if (rules.name !== undefined) row.name ??= rules.name;
  return readTexts(row);
}

const unknownField = (name: string): string =>
  `unknown field ${JSON.stringify(name)}: rename it with --map ${name}=FIELD, or ignore it with --ignore ${name}.`;

function readTexts(row: Record<string, unknown>): Record<string, unknown> {
  if (row.customMetaData !== undefined) row.customMetaData = jsonOr(row.customMetaData);
  for (const name of ['allowedDomains', 'permissions', 'allowedIPs', 'tags'])
    if (row[name] !== undefined) row[name] = list(row[name]);
  if (row.isActive !== undefined) row.isActive = flag(row.isActive);
  for (const name of ['expiry', 'expiresAt', 'startsAt', 'createdAt'])
    if (row[name] !== undefined) row[name] = time(row[name]);
  const limit = rateLimit(row);
  if (limit !== undefined) row.rateLimitConfigs = limit;
  const credits = creditsOf(row);
  if (credits !== undefined) row.credits = credits;
  if (row.limits !== undefined) row.limits = namedLimits(row.limits);
  for (const name of FLAT_FIELDS) delete row[name];
  return row;
}

/** Fields that become parts of `rateLimitConfigs` and `credits`. */
const FLAT_FIELDS = [
  'rateLimit',
  'rateLimitTtl',
  'refillAmount',
  'refillInterval',
  'refillTimezone',
];

/** Parses the text if it is JSON, otherwise returns it unchanged. */
function jsonOr(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Items separated by spaces, commas or semicolons, or a JSON array. */
function list(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.startsWith('[') ? jsonOr(value) : value.split(/[\s,;]+/).filter((item) => item);
}

const FLAGS = new Map<unknown, boolean>([
  ...['true', 't', 'yes', '1', 1].map((yes) => [yes, true] as const),
  ...['false', 'f', 'no', '0', 0].map((no) => [no, false] as const),
]);

const flag = (value: unknown): unknown =>
  FLAGS.get(typeof value === 'string' ? value.toLowerCase() : value) ?? value;

/** Seconds since 1970 stay below this until the year 5138; milliseconds passed it in 1973. */
const MILLISECONDS_FROM = 1e11;
const EPOCH = /^\d{9,14}$/;
/** `2030-01-01 12:00:00.5+00`, as PostgreSQL writes it. */
const SHORT_OFFSET = /^(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d)$/;

function time(value: unknown): unknown {
  const epoch = typeof value === 'string' && EPOCH.test(value) ? Number(value) : value;
  if (typeof epoch === 'number') {
    const date = new Date(epoch < MILLISECONDS_FROM ? epoch * 1000 : epoch);
    return Number.isNaN(date.getTime()) ? String(value) : date.toISOString();
  }
  return typeof value === 'string' ? value.replace(SHORT_OFFSET, '$1:00') : value;
}

function rateLimit(row: Readonly<Record<string, unknown>>): unknown {
  const { rateLimitConfigs: configs } = row;
  if (typeof configs === 'string')
    return /^\d{1,10}\/\d{1,9}$/.test(configs) ? readRateLimit(configs) : jsonOr(configs);
  if (configs !== undefined) return configs;
  if (row.rateLimit === undefined && row.rateLimitTtl === undefined) return undefined;
  return { rateLimit: wholeNumber(row.rateLimit), rateLimitTtl: wholeNumber(row.rateLimitTtl) };
}

/**
 * `credits` is an object, possibly as JSON text, or the number of credits left. The refill may be in separate
 * fields.
 */
function creditsOf(row: Readonly<Record<string, unknown>>): unknown {
  const value = typeof row.credits === 'string' ? jsonOr(row.credits) : row.credits;
  const credits = typeof value === 'number' ? { remaining: value } : value;
  const { refillAmount, refillInterval, refillTimezone: timezone } = row;
  if (refillAmount === undefined && refillInterval === undefined) return credits;
  if (credits === null || (credits !== undefined && typeof credits !== 'object')) return credits;
  if (credits !== undefined && 'refill' in credits) return credits;
  const refill = { amount: wholeNumber(refillAmount), interval: refillInterval };
  return { ...credits, refill: { ...refill, ...(timezone !== undefined && { timezone }) } };
}

/** A JSON array, or limits as in --limit: `second=20/1 day=10000/1d,customer`. */
function namedLimits(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.startsWith('[')) return jsonOr(value);
  try {
    return value
      .split(/[\s;]+/)
      .filter(Boolean)
      .map(readNamedLimit);
  } catch (error) {
    // The message of --limit quotes the text, which may be anything.
    if (!(error instanceof UsageError)) throw error;
    throw new RowProblem('limits must be like second=20/1 day=10000/1d,customer, or a JSON array.');
  }
}

const wholeNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
