/**
 * Formats a value of a record for a person. Names come from other users: control characters in them
 * must not reach the terminal.
 */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (typeof value === 'string') return ISO_TIME.test(value) ? shortTime(value) : printable(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.length === 0 ? '-' : printable(value.join(', '));
  if (isLimit(value)) return limitText(value);
  if (Array.isArray(value) && value.every(isLimit)) return value.map(limitText).join('; ');
  return printable(JSON.stringify(value));
}

/** Control characters, and those that change the direction of the text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export const printable = (text: string): string => text.replace(UNPRINTABLE, '\u{fffd}');

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const shortTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)}Z`;

/** `rateLimitConfigs`, or an element of `limits`. */
interface Limit {
  readonly rateLimit: number;
  readonly rateLimitTtl?: number;
  readonly interval?: string;
  readonly unit?: string;
  readonly for?: readonly string[];
  readonly name?: string;
  readonly per?: string;
  readonly algorithm?: string;
  readonly mode?: string;
}

function limitText(limit: Limit): string {
  const { name, rateLimit, unit, per, algorithm, mode, for: patterns } = limit;
  const prefix = name === undefined ? '' : `${printable(name)}: `;
  const amount = unit === undefined ? String(rateLimit) : `${rateLimit} ${printable(unit)}`;
  const parts = [`${prefix}${amount} ${windowText(limit)}`];
  if (patterns !== undefined) parts.push(`for ${printable(patterns.join(' '))}`);
  if (per === 'customer') parts.push('per customer');
  if (algorithm === 'sliding') parts.push('sliding');
  if (mode === 'shadow') parts.push('shadow');
  return parts.join(', ');
}

/** `in 60 s`, `per month`. */
export const windowText = ({
  rateLimitTtl,
  interval,
}: Pick<Limit, 'rateLimitTtl' | 'interval'>): string =>
  interval === undefined ? `in ${rateLimitTtl} s` : `per ${printable(interval)}`;

function isLimit(value: unknown): value is Limit {
  return (
    typeof value === 'object' &&
    value !== null &&
    'rateLimit' in value &&
    ('rateLimitTtl' in value || 'interval' in value)
  );
}

/** Characters that a terminal draws two columns wide. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /\p{M}/u;

const widthOfCharacter = (character: string): number =>
  NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;

export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

/** Truncates to `width` columns, with … at the end if something was removed. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += widthOfCharacter(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
