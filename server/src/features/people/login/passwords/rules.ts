import { KeywardError } from '../../../../kernel/errors.ts';

export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 256;

const DISTINCT_MIN = 6;
const REMAINDER_MIN = 8;

/** Words in common passwords. The rest of a password without them must still be long enough. */
const COMMON =
  /password|passwort|passw|qwertyuiop|qwertzuiop|qwerty|qwertz|qwert|asdfghjkl|asdf|zxcvbnm|yxcvbnm|zxcv|letmein|welcome|iloveyou|monkey|dragon|football|baseball|sunshine|princess|master|shadow|superman|trustno|admin|login|secret|changeme|keyward|abcdef|abc|qaz|wsx|1q2w|q1w2|zaq/g;

/** Common substitutes for letters. */
const LEET: Record<string, string> = { '@': 'a', '4': 'a', '0': 'o', '3': 'e', $: 's', '5': 's' };

/**
 * At least twelve characters, and not a common password. There are no rules about kinds of characters:
 * they make passwords harder to remember, not to guess.
 */
export function requirePassword(password: string, about: readonly string[]): void {
  if (password.length < PASSWORD_MIN)
    throw weak(`Choose a password of at least ${PASSWORD_MIN} characters.`);
  if (password.length > PASSWORD_MAX)
    throw weak(`Choose a password of at most ${PASSWORD_MAX} characters.`);
  if (new Set(password.toLowerCase()).size < DISTINCT_MIN)
    throw weak('Choose a password with more different characters.');
  if (remainder(password, about) < REMAINDER_MIN) throw weak('This password is too easy to guess.');
}

/** The length of the password without common words, sequences and words about the person. */
function remainder(password: string, about: readonly string[]): number {
  const plain = password.toLowerCase();
  const read = [...plain].map((character) => LEET[character] ?? character).join('');
  const known = about
    .flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter((word) => word.length >= 3);
  const left = (text: string): number =>
    withoutRuns(
      known.reduce((rest, word) => rest.replaceAll(word, ''), text.replaceAll(COMMON, '')),
    ).length;
  return Math.min(left(plain), left(read));
}

/** Removes sequences (1234, abcd, 4321) and repetitions (aaaa). */
function withoutRuns(text: string): string {
  let kept = '';
  for (let i = 0; i < text.length; i++) {
    const step = text.charCodeAt(i) - text.charCodeAt(i - 1);
    const before = text.charCodeAt(i - 1) - text.charCodeAt(i - 2);
    if (step === before && Math.abs(step) <= 1) continue;
    kept += text[i];
  }
  return kept;
}

const weak = (message: string): KeywardError => new KeywardError('password_weak', message);
