import type { IncomingMessage } from 'node:http';
import { parseAddress } from '@keyward/rules/addresses.ts';
import type { Conditions } from '@keyward/rules/check-key.ts';
import { COST_MAX } from '@keyward/rules/cost.ts';
import { readRequirement } from '@keyward/rules/permissions.ts';
import { BATCH_MAX } from '../../features/validation/rules.ts';
import { BODY_BYTES_MAX } from '../../kernel/json/json.ts';

/** A value that needs no decoding, neither in a path nor in JSON. */
export const PLAIN_VALUE = /^[A-Za-z0-9._~-]{1,256}$/;

const NAME = '"[A-Za-z0-9_.:-]{1,128}"';
const NAMES = `\\[${NAME}(?:,${NAME}){0,31}\\]`;
const PERMISSIONS = `${NAME}|${NAMES}|\\{"(?:all|any)":${NAMES}\\}`;

/** As JSON.stringify writes it; the router reads any other form. */
const ONE_KEY = new RegExp(
  `^\\{"key":"([A-Za-z0-9._~-]{1,256})"(?:,"permissions":(${PERMISSIONS}))?(?:,"clientIP":"([0-9A-Fa-f.:]{2,45})")?(?:,"cost":(0|[1-9][0-9]{0,6}))?(?:,"resource":"([A-Za-z0-9._:/-]{1,128})")?\\}$`,
);
const KEYS_START = '{"keys":["';
const KEYS_END = '"]}';
const VALUE_LENGTH_MAX = 256;
/** The longest value, 32 names, an address, a cost and a resource, with their punctuation. */
const ONE_KEY_BYTES_MAX = VALUE_LENGTH_MAX + 32 * 131 + 128 + 128 + 16;

export const JSON_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

/** The value to validate, the values of a batch, or a value with conditions. */
export type RequestedKeys = string | readonly string[] | KeyWithConditions;

/** The origin is in a header. */
interface KeyWithConditions extends Omit<Conditions, 'origin'> {
  readonly key: string;
}

/**
 * Reads a body that arrives in one chunk. If it is not a simple validation, or if `handles` returns false,
 * the chunk is put back, and `passOn` lets the router read it.
 */
export function readBody(
  request: IncomingMessage,
  handles: (keys: RequestedKeys) => boolean,
  passOn: () => void,
): void {
  const { headers } = request;
  const length = Number(headers['content-length']);
  if (
    !(length > 0 && length <= BODY_BYTES_MAX) ||
    headers['transfer-encoding'] !== undefined ||
    headers['content-encoding'] !== undefined ||
    headers.expect !== undefined ||
    !JSON_TYPES.has(headers['content-type'] ?? '')
  ) {
    passOn();
    return;
  }
  request.once('data', (chunk: Buffer) => {
    const keys = chunk.length === length ? parseBody(chunk) : null;
    if (keys !== null && handles(keys)) return;
    request.pause();
    request.unshift(chunk);
    passOn();
  });
}

export function parseBody(body: Buffer): RequestedKeys | null {
  if (body.toString('latin1', 0, KEYS_START.length) === KEYS_START)
    return parseKeys(body.toString('latin1'));
  if (body.length > ONE_KEY_BYTES_MAX) return null;
  const [, key, permissions, clientIP, cost, resource = null] =
    ONE_KEY.exec(body.toString('latin1')) ?? [];
  if (key === undefined) return null;
  const isPlain = permissions === undefined && clientIP === undefined && cost === undefined;
  return isPlain && resource === null
    ? key
    : withConditions(key, permissions, clientIP, Number(cost ?? 1), resource);
}

/** Null if a condition is not valid: the router explains it. */
function withConditions(
  key: string,
  permissions: string | undefined,
  address: string | undefined,
  cost: number,
  resource: string | null,
): KeyWithConditions | null {
  const clientIP = address === undefined ? null : parseAddress(address);
  if ((address !== undefined && clientIP === null) || cost > COST_MAX) return null;
  try {
    const requirement = permissions === undefined ? null : readRequirement(JSON.parse(permissions));
    return { key, requirement, clientIP, cost, resource };
  } catch {
    return null;
  }
}

/**
 * If the body is one array up to its end, in ASCII and without escapes, it has no second field, and
 * JSON.parse reads it as our strict parser would.
 */
function parseKeys(text: string): readonly string[] | null {
  const isSimple =
    text.startsWith(KEYS_START) &&
    text.endsWith(KEYS_END) &&
    text.indexOf('[', KEYS_START.length) === -1 &&
    !text.includes('\\') &&
    Buffer.byteLength(text) === text.length;
  if (!isSimple) return null;
  try {
    const { keys } = JSON.parse(text) as { readonly keys: readonly unknown[] };
    return keys.length <= BATCH_MAX && keys.every(isValue) ? (keys as string[]) : null;
  } catch {
    return null;
  }
}

const isValue = (value: unknown): boolean =>
  typeof value === 'string' && value.length > 0 && value.length <= VALUE_LENGTH_MAX;
