import { KeywardError } from '../../kernel/errors.ts';
import { looksLikeId } from '../../kernel/ids.ts';
import { checkMetadata } from '../../kernel/json/json.ts';
import { shapeOf } from '../../kernel/secrets/key-values.ts';
import { readTime } from '../../kernel/time/read-time.ts';
import { levelColumns, listText, tagsText } from '../policies/index.ts';

/** Rejects a custom value that looks like a Keyward id, or like a generated value with a wrong checksum. */
export function checkCustomValue(value: string): void {
  if (looksLikeId(value))
    throw new KeywardError(
      'invalid_key_value',
      'key looks like a Keyward id; choose another value.',
    );
  if (shapeOf(value) === 'malformed')
    throw new KeywardError(
      'invalid_key_value',
      'key looks like a generated value with a wrong checksum; check that it was copied correctly.',
    );
}

export function metadataText(value: Record<string, unknown> | undefined): string {
  return value === undefined ? '{}' : checkMetadata(value, 'customMetaData');
}

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

type Input = readonly string[] | null | undefined;

/** Unlike an expiry, a start may be in the past. */
export function startTime(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : readTime('startsAt', text);
}

interface PolicyInput extends NonNullable<Parameters<typeof levelColumns>[0]> {
  readonly allowedDomains?: Input;
  readonly startsAt?: string | null;
  readonly tags?: Input;
  readonly planId?: string | null;
}

/** The columns of a new key that say what it may do, from where and from when on. */
export const policyColumns = (input: PolicyInput) => ({
  allowed_domains: domainsText(input.allowedDomains),
  ...levelColumns(input),
  starts_at: startTime(input.startsAt),
  tags: tagsText(input.tags),
  plan_id: input.planId ?? null,
});
