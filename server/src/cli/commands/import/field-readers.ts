import type { API_KEY } from '@keyward/rules/resources/api-key.ts';
import type { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import { type Fields, fieldsOf, inputName, type KindOf } from '@keyward/rules/resources/field.ts';
import { UsageError } from '../../failure.ts';
import { readNamedLimit, readRateLimit } from '../../values.ts';

/** Describes the problem with a row, without quoting its values. */
export class RowProblem extends Error {}

type Row = Readonly<Record<string, unknown>>;

/**
 * Converts a value that CSV and databases can only write as text or numbers. What cannot be converted stays as it is,
 * so that the server names the problem.
 */
export interface FieldReader {
  read(value: unknown, row: Row): unknown;
  /** Other fields of the file that become parts of this one. */
  readonly parts?: readonly string[];
  /** For the help. */
  readonly note?: string;
}

export const asGiven: FieldReader = { read: (value) => value };
const aList: FieldReader = { read: list };
export const aTime: FieldReader = { read: time };

/** How each kind of value is written in a file. */
const KINDS: Readonly<Record<KindOf<typeof API_KEY> | KindOf<typeof CUSTOMER>, FieldReader>> = {
  name: asGiven,
  text: asGiven,
  email: asGiven,
  plan: asGiven,
  metadata: { read: jsonOr },
  tags: aList,
  permissions: aList,
  domains: aList,
  addresses: aList,
  time: aTime,
  expiry: aTime,
  limit: {
    read: rateLimit,
    parts: ['rateLimit', 'rateLimitTtl'],
    note: 'or rateLimit and rateLimitTtl',
  },
  limits: { read: namedLimits },
  credits: {
    read: creditsOf,
    parts: ['refillAmount', 'refillInterval', 'refillTimezone'],
    note: 'an object, or a number with refillAmount, refillInterval and refillTimezone',
  },
};

type Importable = Readonly<Record<string, Fields[string] & { readonly kind: keyof typeof KINDS }>>;

/** The reader of each field, under its names in requests and records. */
export const readersOf = (fields: Importable): Readonly<Record<string, FieldReader>> =>
  Object.fromEntries(
    fieldsOf(fields).flatMap(([name, field]) =>
      [...new Set([inputName(name, field), name])].map((each) => [
        each,
        KINDS[field.kind as keyof typeof KINDS],
      ]),
    ),
  );

/** `name, expiry or expiresAt, rateLimitConfigs (or rateLimit and rateLimitTtl), …`, for the help. */
export const namesOf = (fields: Importable): string =>
  fieldsOf(fields)
    .map(([name, field]) => {
      const names = [...new Set([inputName(name, field), name])].join(' or ');
      const { note } = KINDS[field.kind as keyof typeof KINDS];
      return note === undefined ? names : `${names} (${note})`;
    })
    .join(', ');

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

export const aFlag: FieldReader = {
  read: (value) => FLAGS.get(typeof value === 'string' ? value.toLowerCase() : value) ?? value,
};

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

function rateLimit(configs: unknown, row: Row): unknown {
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
function creditsOf(given: unknown, row: Row): unknown {
  const value = typeof given === 'string' ? jsonOr(given) : given;
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
