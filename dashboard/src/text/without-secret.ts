/**
 * Cuts key values to the part that masks show, which still finds a key. The secret part stays out of the URL.
 * Also cuts other texts that look random, because they may be values from another system.
 */
export const withoutSecret = (input: string): string =>
  input
    .replaceAll(/\b((?:live|test|account)_(?:access_)?[0-9A-Za-z]{6})[0-9A-Za-z]{4,}/g, '$1')
    .replaceAll(/\b((?:[a-z0-9]+_){1,2}[0-9A-Za-z]{6})[0-9A-Za-z]{43}\b/g, '$1')
    .replaceAll(/[0-9A-Za-z._~-]{20,}/g, (word) =>
      looksRandom(word) ? word.slice(0, Math.min(6, Math.floor(word.length / 4))) : word,
    );

/** The visible start of a value. */
const CUT = /^(?:[a-z0-9]+_){1,3}[0-9A-Za-z]{6}$/;

/** Ids and UUIDs, which people search for, have only lower-case letters and digits, or hyphens. */
const looksRandom = (word: string): boolean =>
  !CUT.test(word) &&
  (/^[0-9a-f]{32,}$/.test(word) || [/[0-9]/, /[a-z]/, /[A-Z]/].every((each) => each.test(word)));
