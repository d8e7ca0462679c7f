import { KeywardError } from './errors.ts';
import { JsonReader } from './json-reader.ts';

export interface JsonLimits {
  /** Objects and arrays inside one another, the outermost counted. */
  readonly levels: number;
}

/** Room for customMetaData's own 32 levels, wherever a body holds it. */
const BODY_LIMITS: JsonLimits = { levels: 40 };

const METADATA_LEVELS = 32;
const METADATA_BYTES = 16 * 1024;

/** Takes a byte order mark off, as RFC 8259 allows: some clients on Windows send one. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a body as JSON of one meaning only. `JSON.parse` takes the last of two fields of the same
 * name where a proxy before us may take the first, and makes `__proto__` a field that a careless
 * copy turns into a prototype; databases refuse NUL and lone surrogates. All of these are refused
 * here, with a message that says what and where. Throws nothing but KeywardError.
 */
export function parseStrictJson(bytes: Uint8Array, limits: JsonLimits = BODY_LIMITS): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw new KeywardError('invalid_json', 'The body is not valid UTF-8.', { cause });
  }
  return new JsonReader(text, limits.levels).read();
}

/** The text that metadata is stored as, when it keeps to the limits. `field` is named if it does not. */
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
