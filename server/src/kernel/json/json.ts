import { KeywardError } from '../errors.ts';
import { nextTurn } from '../slices.ts';
import { JsonReader } from './json-reader.ts';

/** The default limit of a body. */
export const BODY_BYTES_MAX = 64 * 1024;

export interface JsonLimits {
  /** Nested objects and arrays, including the outermost. */
  readonly levels: number;
}

/** Enough for the 32 levels of customMetaData within any body. */
const BODY_LIMITS: JsonLimits = { levels: 40 };

const METADATA_LEVELS = 32;
const METADATA_BYTES = 16 * 1024;

/** Ignores a byte order mark, as RFC 8259 allows: some clients on Windows send one. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses unambiguous JSON only. If a field occurs twice, `JSON.parse` takes the last one, but a proxy may
 * take the first. A `__proto__` field may become a prototype when it is copied. Databases reject NUL and lone
 * surrogates. All of these are rejected here, with a message that says what is wrong and where. Throws only
 * KeywardError.
 */
export function parseStrictJson(bytes: Uint8Array, limits: JsonLimits = BODY_LIMITS): unknown {
  return new JsonReader(decode(bytes), limits.levels).read();
}

/**
 * The same for bodies that may be larger than the default limit. Other requests have their turn while long lists are
 * read. A value within a list may have 128 KB.
 */
export const parseLargeJson = async (bytes: Uint8Array): Promise<unknown> =>
  new JsonReader(decode(bytes), BODY_LIMITS.levels).readInSlices(nextTurn);

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new KeywardError('invalid_json', 'The body is not valid UTF-8.', { cause });
  }
}

/** Metadata as stored text. Throws an error that names `field` if it exceeds the limits. */
export function checkMetadata(value: Record<string, unknown>, field: string): string {
  if (isDeeperThan(METADATA_LEVELS, value)) {
    throw new KeywardError('invalid_body', `${field} has more than ${METADATA_LEVELS} levels.`);
  }
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > METADATA_BYTES) {
    throw new KeywardError('invalid_body', `${field} is larger than ${METADATA_BYTES / 1024} KB.`);
  }
  return text;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
