import { parseAddressRange } from '@keyward/rules/addresses.ts';
import { CREDITS, isUnit, REQUESTS } from '@keyward/rules/cost.ts';
import { DEFAULT_LIMIT } from '@keyward/rules/default-limit.ts';
import { isGrant } from '@keyward/rules/permissions.ts';
import { isPattern } from '@keyward/rules/request-resource.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { isoTime } from '../../kernel/time/clock.ts';
import { readTime } from '../../kernel/time/read-time.ts';
import { isTimeZone } from '../../kernel/time/time-zones.ts';
import type { Limit, LimitInput } from './schema.ts';

const TAG = /^[a-z0-9._-]{1,64}$/;

type Input = readonly string[] | null | undefined;

export const permissionsText = (permissions: Input): string | null =>
  listText(
    'permissions',
    permissions,
    isGrant,
    'a permission; write it like documents.read or documents.*: letters, digits, - and _, joined by . or :',
  );

export const addressesText = (ranges: Input): string | null =>
  listText(
    'allowedIPs',
    ranges?.map((range) => range.toLowerCase()),
    (range) => parseAddressRange(range) !== null,
    'an IP address or a range; write it like 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32',
  );

const HOST =
  /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Hosts in lower case, without duplicates. `*.` matches subdomains, not the domain itself. */
export const domainsText = (domains: Input): string | null =>
  listText(
    'allowedDomains',
    domains?.map((domain) => domain.toLowerCase()),
    (host) => HOST.test(host) && host.length <= 255,
    'a host name; write it like app.example.com or *.example.com',
  );

export const tagsText = (tags: Input): string | null =>
  listText(
    'tags',
    tags,
    (tag) => TAG.test(tag),
    'a tag; use lower-case letters, digits, . _ and -',
  );

/** A list as it is stored, without duplicates. An empty one is stored as unset. */
export function listText(
  field: string,
  items: Input,
  isValid: (item: string) => boolean,
  what: string,
): string | null {
  if (items === null || items === undefined || items.length === 0) return null;
  const wrong = items.find((item) => !isValid(item));
  if (wrong !== undefined)
    throw new KeywardError('invalid_body', `${field}: ${JSON.stringify(wrong)} is not ${what}.`);
  return JSON.stringify([...new Set(items)]);
}

/** Limits as they are stored, with all fields. An empty list is stored as unset. */
export function limitsText(limits: readonly LimitInput[] | null | undefined): string | null {
  if (limits === null || limits === undefined || limits.length === 0) return null;
  const names = limits.map(({ name }) => name);
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  if (twice !== undefined)
    throw new KeywardError('invalid_body', `limits: two limits have the name "${twice}".`);
  if (names.includes(DEFAULT_LIMIT))
    throw new KeywardError(
      'invalid_body',
      `limits: the name "${DEFAULT_LIMIT}" is reserved for rateLimitConfigs; choose another name.`,
    );
  return JSON.stringify(limits.map(wholeLimit));
}

/** The anchor that is resolved for each customer. */
export const CUSTOMER_ANCHOR = 'customer';

/** Optional fields that are not set are left out. */
function wholeLimit(limit: LimitInput): Limit {
  const { name, rateLimit, rateLimitTtl, unit, interval, timezone, anchor } = limit;
  const wrong = mistakeIn(limit);
  if (wrong !== null) throw new KeywardError('invalid_body', `limits: "${name}" ${wrong}`);
  return {
    name,
    rateLimit,
    ...(rateLimitTtl !== undefined && { rateLimitTtl }),
    per: limit.per ?? 'key',
    algorithm: limit.algorithm ?? 'fixed',
    mode: limit.mode ?? 'enforce',
    ...(unit !== undefined && unit !== REQUESTS && { unit }),
    ...(limit.for !== undefined && { for: [...new Set(limit.for)] }),
    ...(interval !== undefined && { interval }),
    ...(timezone !== undefined && { timezone }),
    ...(anchor !== undefined && { anchor: anchorText(name, anchor) }),
  };
}

/** What is wrong with a limit, after its name; null: nothing that is seen without the project. */
function mistakeIn(limit: LimitInput): string | null {
  const { rateLimitTtl, algorithm, unit, interval, timezone, anchor } = limit;
  if ((rateLimitTtl === undefined) === (interval === undefined))
    return 'needs either rateLimitTtl or interval.';
  if (interval !== undefined && algorithm === 'sliding')
    return 'cannot have both interval and the algorithm sliding.';
  if (interval === undefined && (timezone ?? anchor) !== undefined)
    return 'has a timezone or an anchor, which need interval.';
  if (timezone !== undefined && !isTimeZone(timezone))
    return `has the unknown time zone ${JSON.stringify(timezone)}; write it like Europe/Berlin.`;
  if (unit === CREDITS) return 'cannot count credits: give the key, customer or plan credits.';
  if (unit !== undefined && unit !== REQUESTS && !isUnit(unit))
    return `has the unit ${JSON.stringify(unit)}; use up to 32 lower-case letters, digits and -.`;
  const pattern = limit.for?.find((each) => !isPattern(each));
  return pattern === undefined
    ? null
    : `has the pattern ${JSON.stringify(pattern)}; use letters, digits and . _ : / -, and * only at the end.`;
}

const anchorText = (name: string, anchor: string): string =>
  anchor === CUSTOMER_ANCHOR
    ? anchor
    : isoTime(readTime(`limits: the anchor of "${name}"`, anchor));

/** A stored list. */
export const listOrNull = <Item = string>(text: string | null): Item[] | null =>
  text === null ? null : JSON.parse(text);
