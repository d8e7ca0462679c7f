import { KeywardError } from '../../kernel/errors.ts';

const COUNT_MAX = 20;
const NAME_LENGTH_MAX = 64;
const VALUE_LENGTH_MAX = 1024;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Names that the service sets itself, or that control the connection. */
const RESERVED_NAMES = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
  'expect',
  'user-agent',
  'accept-encoding',
]);
const RESERVED_PREFIXES = ['content-', 'webhook-', 'proxy-'];

export type CustomHeaders = Readonly<Record<string, string>>;

/** Checks `customHeaders` of a webhook; the names keep the case they came in. */
export function parseCustomHeaders(input: unknown): CustomHeaders {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw refused('must be an object of header names and values.');
  const entries = Object.entries(input);
  if (entries.length > COUNT_MAX) throw refused(`can hold at most ${COUNT_MAX} headers.`);
  const seen = new Set<string>();
  const checked = entries.map(([name, value]): [string, string] => {
    checkName(name, seen);
    return [name, checkedValue(name, value)];
  });
  return Object.fromEntries(checked);
}

function checkName(name: string, seen: Set<string>): void {
  if (name.length > NAME_LENGTH_MAX)
    throw refused(`has a name of more than ${NAME_LENGTH_MAX} characters.`);
  if (!TOKEN.test(name)) throw refused('has a name that is not a valid header name.');
  const lower = name.toLowerCase();
  if (RESERVED_NAMES.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix)))
    throw refused(`cannot set ${name}: it is set by the service or controls the connection.`);
  if (seen.has(lower)) throw refused(`names ${name} twice; case does not matter.`);
  seen.add(lower);
}

/** The value may be a credential, so error messages never contain it. */
function checkedValue(name: string, value: unknown): string {
  if (typeof value !== 'string') throw refused(`has a value for ${name} that is not a string.`);
  if (value.length > VALUE_LENGTH_MAX)
    throw refused(`has a value for ${name} of more than ${VALUE_LENGTH_MAX} characters.`);
  if (!PRINTABLE_ASCII.test(value))
    throw refused(`has a value for ${name} with characters that are not printable ASCII.`);
  return value;
}

function refused(reason: string): KeywardError {
  return new KeywardError('invalid_body', `customHeaders ${reason}`);
}
