import { KeywardError } from '../../kernel/errors.ts';
import { maskIn, maskValue, shapeOf } from '../../kernel/secrets/key-values.ts';
import { SOURCE_LENGTH_MAX, URL_LENGTH_MAX } from './schema.ts';
import type { LeakLocation } from './store.ts';

/**
 * Where values were found, with every value masked: the address of a page may contain the key that was
 * found on it. `lenient`: an address that is not valid is left out instead of rejected.
 */
export function leakLocation(
  values: readonly string[],
  source: string,
  url: string | null,
  how: 'strict' | 'lenient' = 'strict',
): LeakLocation {
  const parsed = url === null ? null : URL.parse(url);
  const isValid = parsed !== null && /^https?:$/.test(parsed.protocol);
  if (url !== null && !isValid && how === 'strict')
    throw new KeywardError('invalid_body', 'url must be an http or https URL.');
  // Malformed values belong to no key, so they are not masked. A value such as `*` would also match inside
  // earlier masks, and the text would grow with each replacement.
  const known = [...new Set(values)].filter((value) => shapeOf(value) !== 'malformed');
  return {
    source: [...masked(source, known)].slice(0, SOURCE_LENGTH_MAX).join(''),
    url: isValid ? maskedUrl(parsed, known) : null,
  };
}

const masked = (text: string, values: readonly string[]): string =>
  maskIn(values.reduce((rest, value) => rest.replaceAll(value, maskValue(value)), text));

/** The address is decoded first, to find percent-encoded values. Without a value, it stays as it is. */
function maskedUrl(url: URL, values: readonly string[]): string | null {
  const decoded = decoding(url.href);
  const shown = masked(decoded, values);
  const text = shown === decoded ? url.href : (URL.parse(shown)?.href ?? null);
  return text !== null && text.length <= URL_LENGTH_MAX ? text : null;
}

function decoding(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([2-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  }
}
