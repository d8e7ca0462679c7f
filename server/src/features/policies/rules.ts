import { parseAddressRange } from '@keyward/rules/addresses.ts';
import { DEFAULT_LIMIT } from '@keyward/rules/default-limit.ts';
import { isGrant } from '@keyward/rules/permissions.ts';
import { KeywardError } from '../../kernel/errors.ts';
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

const wholeLimit = (limit: LimitInput): Limit => ({
  name: limit.name,
  rateLimit: limit.rateLimit,
  rateLimitTtl: limit.rateLimitTtl,
  per: limit.per ?? 'key',
  algorithm: limit.algorithm ?? 'fixed',
  mode: limit.mode ?? 'enforce',
});

/** A stored list. */
export const listOrNull = <Item = string>(text: string | null): Item[] | null =>
  text === null ? null : JSON.parse(text);
