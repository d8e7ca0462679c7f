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
 * A value ends in 49 letters and digits in a row, so only every 49th byte needs to be read where the
 * text has shorter words: from there the word is followed back to its start.
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
    // `start` begins a run of at least 49. A value begins such a run, after the `_` of its prefix.
    if (start > 0 && text[start - 1] === UNDERSCORE) checkAt(text, start, onFound);
    let end = probe + 1;
    while (end < length && IS_BASE62[text[end]!] === 1) end++;
    start = end + 1;
  }
}

/** The prefix may begin anywhere in the word before the run; the checksum tells. */
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
