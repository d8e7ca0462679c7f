import { parseRange } from '../../../../sdk/src/rules/addresses.ts';
import { isGrant } from '../../../../sdk/src/rules/permissions.ts';
import { parseTime } from '../../kernel/clock.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { looksLikeId } from '../../kernel/ids.ts';
import { checkMetadata } from '../../kernel/json.ts';
import { shapeOf } from '../../kernel/key-values.ts';

/** Rejects given values that look like generated ones. */
export function checkOwnValue(value: string): void {
  if (looksLikeId(value))
    throw new KeywardError(
      'invalid_key_value',
      'key looks like a Keyward id; choose another value.',
    );
  if (shapeOf(value) === 'malformed')
    throw new KeywardError(
      'invalid_key_value',
      'key looks like a generated value with a wrong checksum; check that it was copied completely.',
    );
}

export function metadataText(value: Record<string, unknown> | undefined): string {
  return value === undefined ? '{}' : checkMetadata(value, 'customMetaData');
}

const HOST =
  /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const TAG = /^[a-z0-9._-]{1,64}$/;

/** Hosts in lower case, without duplicates. `*.` matches subdomains, not the domain itself. */
export const domainsText = (domains: Input): string | null =>
  listText(
    'allowedDomains',
    domains?.map((domain) => domain.toLowerCase()),
    (host) => HOST.test(host) && host.length <= 255,
    'a host name; write it like app.example.com or *.example.com',
  );

export const permissionsText = (permissions: Input): string | null =>
  listText(
    'permissions',
    permissions,
    isGrant,
    'a permission; write it like documents.read or documents.*, of letters, digits, - and _ joined by . or :',
  );

export const addressesText = (ranges: Input): string | null =>
  listText(
    'allowedIPs',
    ranges?.map((range) => range.toLowerCase()),
    (range) => parseRange(range) !== null,
    'an IP address or a range; write it like 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32',
  );

export const tagsText = (tags: Input): string | null =>
  listText(
    'tags',
    tags,
    (tag) => TAG.test(tag),
    'a tag; use lower-case letters, digits, . _ and -',
  );

type Input = readonly string[] | null | undefined;

/** A list as it is stored, without duplicates. An empty one is stored as unset. */
function listText(
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

/** Unlike an expiry, a start may be in the past. */
export function startTime(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
  const time = parseTime(text);
  if (time !== null) return time;
  throw new KeywardError(
    'invalid_body',
    'startsAt must be an ISO 8601 date-time, a date, or YYYY-MM-DD HH:mm:ss.',
  );
}

interface PolicyInput {
  readonly allowedDomains?: Input;
  readonly permissions?: Input;
  readonly allowedIPs?: Input;
  readonly startsAt?: string | null;
  readonly tags?: Input;
}

/** The columns of a new key that say what it may do, from where and from when on. */
export const policyColumns = (input: PolicyInput) => ({
  allowed_domains: domainsText(input.allowedDomains),
  permissions: permissionsText(input.permissions),
  allowed_ips: addressesText(input.allowedIPs),
  starts_at: startTime(input.startsAt),
  tags: tagsText(input.tags),
  plan_id: null as string | null,
  limits: null as string | null,
});
