import type { ApiKey } from 'keyward';
import { withoutSecret } from '../text/without-secret.ts';
import { keyward } from './client.ts';

/** The characters and lengths that values of keys have. */
const MAY_BE_VALUE = /^[A-Za-z0-9._~-]{8,256}$/;

/**
 * The text to search for. A search is part of URLs, so a value must not stay in it: if a key has the text as
 * its value, the text becomes the id of the key (or what `foundAs` returns); only the hash of the text is
 * sent. What looks like another secret is cut. Never rejects.
 */
export async function searchedText(
  typed: string,
  signal: AbortSignal,
  foundAs: (key: ApiKey) => string = ({ id }) => id,
): Promise<string> {
  const text = typed.trim();
  if (!MAY_BE_VALUE.test(text)) return withoutSecret(text);
  const found = await keyOfValue(text, signal);
  return found === null ? withoutSecret(text) : foundAs(found);
}

async function keyOfValue(value: string, signal: AbortSignal): Promise<ApiKey | null> {
  try {
    return await keyward.apiKeys.findByValue(value, { signal });
  } catch {
    // No key has this value, or the page came over HTTP from another machine, where browsers do not hash.
    return null;
  }
}
