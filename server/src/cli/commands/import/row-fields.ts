import { readRateLimit } from '../../values.ts';

/** How field names of the file are mapped to those of Keyward. */
export interface FieldRules {
  readonly renamed: ReadonlyMap<string, string>;
  readonly ignored: ReadonlySet<string>;
  /** Default name of a key. */
  readonly name: string | undefined;
}

const FIELDS = new Set([
  'name',
  'key',
  'keyHash',
  'prefix',
  'projectId',
  'customMetaData',
  'customAccountId',
  'customUserId',
  'expiry',
  'expiresAt',
  'rateLimitConfigs',
  'rateLimit',
  'rateLimitTtl',
  'allowedDomains',
  'permissions',
  'allowedIPs',
  'startsAt',
  'tags',
  'isActive',
  'createdAt',
]);

export const isField = (name: string): boolean => FIELDS.has(name);

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
    if (!FIELDS.has(name)) unknown.push(name);
    else if (Object.hasOwn(row, name)) throw new RowProblem(`${name} is given twice.`);
    else if (value !== '' && value !== null) row[name] = value;
  }
  // Checked before an error quotes a field name: a row without either may not be a row of keys.
  if (row.key === undefined && row.keyHash === undefined)
    throw new RowProblem('key or keyHash is missing.');
  if (unknown.length > 0) throw new RowProblem(unknownField(unknown[0]!));
  if (rules.name !== undefined) row.name ??= rules.name;
  return readTexts(row);
}

export const unknownField = (name: string): string =>
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
  delete row.rateLimit;
  delete row.rateLimitTtl;
  return row;
}

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
    return /^\d+\/\d+$/.test(configs) ? readRateLimit(configs) : jsonOr(configs);
  if (configs !== undefined) return configs;
  if (row.rateLimit === undefined && row.rateLimitTtl === undefined) return undefined;
  return { rateLimit: wholeNumber(row.rateLimit), rateLimitTtl: wholeNumber(row.rateLimitTtl) };
}

const wholeNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
