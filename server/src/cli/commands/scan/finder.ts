import { isGeneratedValue } from '../../../kernel/secrets/key-values.ts';

/** The random part of a value and its checksum, after the prefix. */
const BODY_LENGTH = 49;
/** The longest prefix: two words of 16 and 15 characters, each followed by `_`. */
const PREFIX_LENGTH_MAX = 33;
/** Length of the longest value. */
export const VALUE_LENGTH_MAX = PREFIX_LENGTH_MAX + BODY_LENGTH;

const UNDERSCORE = 0x5f;

type OnFound = (value: string, offset: number) => void;

/** 1 for the letters and digits of a random part. */
const IS_BASE62 = tableOf(/[0-9A-Za-z]/);
/** 1 for the characters of a prefix. */
const IS_PREFIX = tableOf(/[a-z0-9_]/);

function tableOf(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) =>
    characters.test(String.fromCharCode(code)) ? 1 : 0,
  );
}

/**
 * Finds generated values in text, by their shape and checksum, whatever their prefix. Calls `onFound`
 * with each value and its offset.
 *
 * A value ends in a run of 49 letters and digits. So the search looks 49 bytes ahead and goes back to the
 * last byte that is neither. If the words of a text are shorter, it reads only a part of the bytes.
 */
export function findValues(text: Buffer, onFound: OnFound): void {
  const { length } = text;
  let start = 0;
  for (let probe = BODY_LENGTH - 1; probe < length; probe = start + BODY_LENGTH - 1) {
    let at = probe;
    while (at >= start && IS_BASE62[text[at]!] === 1) at--;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    // A run of at least 49 begins at `start`. In a value, the `_` of the prefix is before it.
    if (start > 0 && text[start - 1] === UNDERSCORE) checkAt(text, start, onFound);
    let end = probe + 1;
    while (end < length && IS_BASE62[text[end]!] === 1) end++;
    start = end + 1;
  }
}

/** The prefix may begin anywhere in the word before the run. Tries each start until the checksum is right. */
function checkAt(text: Buffer, body: number, onFound: OnFound): void {
  const end = body + BODY_LENGTH;
  const first = Math.max(0, body - PREFIX_LENGTH_MAX);
  for (let start = body - 2; start >= first && IS_PREFIX[text[start]!] === 1; start--) {
    const value = text.toString('latin1', start, end);
    if (isGeneratedValue(value)) {
      onFound(value, start);
      return;
    }
  }
}
