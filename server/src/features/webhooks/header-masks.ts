import { KeywardError } from '../../kernel/errors.ts';
import { MASK_TAIL } from '../../kernel/secrets/key-values.ts';
import type { CustomHeaders } from './custom-headers.ts';

const SHOWN_MAX = 4;
const MASKED = new RegExp(`^.{0,${SHOWN_MAX}}${MASK_TAIL.replaceAll('*', '\\*')}$`);

/** Header values are often credentials: at most a quarter of one, and at most 4 characters, is shown. */
const maskHeader = (value: string): string =>
  value.slice(0, Math.min(SHOWN_MAX, Math.floor(value.length / 4))) + MASK_TAIL;

export const maskHeaders = (headers: CustomHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, maskHeader(value)]));

/**
 * Replaces masks by the stored values, so that a webhook that was read can be sent back. A mask of
 * anything else is rejected, because it would replace a credential.
 */
export function unmaskHeaders(headers: CustomHeaders, stored: CustomHeaders): CustomHeaders {
  const byName = new Map(
    Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const unmasked = Object.entries(headers).map(([name, value]) => {
    const known = byName.get(name.toLowerCase());
    if (known !== undefined && value === maskHeader(known)) return [name, known];
    if (MASKED.test(value))
      throw new KeywardError(
        'invalid_body',
        `customHeaders has a masked value for ${name} that is not the mask of its stored value. Send the value itself.`,
      );
    return [name, value];
  });
  return Object.fromEntries(unmasked);
}

/** Texts to remove from responses: the values and their parts, such as `abc` of `Bearer abc`. */
export const headerSecrets = (headers: CustomHeaders): string[] =>
  Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,;=:]+/)]);
