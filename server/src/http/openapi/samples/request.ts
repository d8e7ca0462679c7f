import { SESSION_COOKIE } from '../../../features/people/index.ts';
import type { Route } from '../../../kernel/route.ts';

/**
 * The example of a route as an HTTP request. Texts contain `$NAMES` of environment variables, which the reader or
 * an earlier sample of the page has set.
 */
export interface SampleRequest {
  readonly method: Route['method'];
  /** Path and query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: unknown;
}

export function sampleRequest(route: Route): SampleRequest {
  const { params, query = {}, headers = {}, body } = route.example ?? {};
  const path = route.path.replaceAll(/:(\w+)/g, (_, name) => encoded(params?.[name as never]));
  const search = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`);
  return {
    method: route.method,
    path: [path, ...(search.length > 0 ? [search.join('&')] : [])].join('?'),
    headers: [
      ...credentialOf(route),
      ...Object.entries(headers),
      ...(body === undefined ? [] : [['content-type', 'application/json'] as const]),
    ],
    body,
  };
}

function credentialOf({
  access,
  credentialHeader,
  errors,
  fromPages,
  method,
}: Route): SampleRequest['headers'] {
  const origin = ['origin', '$KEYWARD_URL'] as const;
  if (access === 'public') return fromPages ? [origin] : [];
  if (access === 'portal') return [['authorization', 'Bearer $PORTAL_TOKEN']];
  if (access !== 'person' && !errors?.includes('people_only'))
    return [[credentialHeader ?? 'x-api-key', '$KEYWARD_ACCESS_KEY']];
  const session = ['cookie', `${SESSION_COOKIE}=$KEYWARD_SESSION`] as const;
  return method === 'GET' ? [session] : [session, origin];
}

/** Leaves `$NAMES` and `:` as they are. */
const encoded = (value: unknown): string =>
  encodeURIComponent(String(value))
    .replaceAll(/%24(?=[A-Z])/g, '$')
    .replaceAll('%3A', ':');

const VARIABLE = /\$([A-Z_]+)/;

/** The parts of a text: at odd places the names of variables. */
export const partsOf = (text: string): string[] => text.split(new RegExp(VARIABLE, 'g'));

/** How a language writes values. */
export interface Notation {
  /** The value of an environment variable. */
  variable(name: string): string;
  name(name: string): string;
  /** A text; the default is JSON. */
  text?(text: string): string;
  /** Objects on one line have no spaces within their braces. */
  readonly isTight?: boolean;
  /** A boolean or null; the default is JSON. */
  constant?(value: boolean | null): string;
}

/** A value of JSON in the notation of a language, on one line if it is short. */
export function written(value: unknown, notation: Notation, indent = '', unit = '  '): string {
  if (typeof value === 'string') {
    const name = new RegExp(`^${VARIABLE.source}$`).exec(value)?.[1];
    return name === undefined
      ? (notation.text?.(value) ?? JSON.stringify(value))
      : notation.variable(name);
  }
  if (value === null || typeof value === 'boolean')
    return notation.constant?.(value) ?? String(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const items = (within: string): string[] =>
    isList
      ? value.map((item) => written(item, notation, within, unit))
      : Object.entries(value).map(
          ([name, item]) => `${notation.name(name)}: ${written(item, notation, within, unit)}`,
        );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const short = items('').join(', ');
  if (short === '') return open + close;
  if (short.length + indent.length < 64 && !short.includes('\n'))
    return isList || notation.isTight ? open + short + close : `{ ${short} }`;
  const within = indent + unit;
  return `${open}\n${items(within)
    .map((item) => within + item)
    .join(',\n')}\n${indent}${close}`;
}
