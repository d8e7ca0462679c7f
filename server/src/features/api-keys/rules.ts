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

/** Hosts in lower case, without duplicates. `*.` matches subdomains, not the domain itself. */
export function domainsText(domains: readonly string[] | null | undefined): string | null {
  if (domains === null || domains === undefined) return null;
  const hosts = domains.map((domain) => domain.toLowerCase());
  const wrong = hosts.find((host) => !HOST.test(host) || host.length > 255);
  if (wrong !== undefined)
    throw new KeywardError(
      'invalid_body',
      `allowedDomains: ${JSON.stringify(wrong)} is not a host name; write it like app.example.com or *.example.com.`,
    );
  return JSON.stringify([...new Set(hosts)]);
}
