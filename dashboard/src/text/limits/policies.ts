import { parseAddress, parseAddressRange } from '@keyward/rules/addresses.ts';
import { isGrant, PERMISSIONS_MAX } from '@keyward/rules/permissions.ts';

/** Items, one per line or separated by spaces or commas. */
export const itemsOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** Returns null if every item is valid, otherwise an error message. */
type Problem = (text: string) => string | null;

const problemOf =
  (isValid: (item: string) => boolean, max: number, advice: (wrong: string) => string): Problem =>
  (text) => {
    const items = itemsOf(text);
    const wrong = items.find((item) => !isValid(item));
    if (wrong !== undefined) return advice(wrong);
    return items.length > max ? `Enter at most ${max}.` : null;
  };

export const permissionsProblem = problemOf(
  isGrant,
  PERMISSIONS_MAX,
  (wrong) =>
    `“${wrong}” is not a permission. Use letters, digits, - and _, joined by . or :, with * only as the last part.`,
);

export const addressesProblem = problemOf(
  (item) => parseAddressRange(item.toLowerCase()) !== null,
  100,
  (wrong) =>
    `“${wrong}” is not an IP address or range. Write it like 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32.`,
);

export const tagsProblem = problemOf(
  (item) => /^[a-z0-9._-]{1,64}$/.test(item),
  16,
  (wrong) => `“${wrong}” is not a tag. Use lower-case letters, digits, . _ and -.`,
);

export const addressProblem = (text: string): string | null =>
  text.trim() === '' || parseAddress(text.trim()) !== null
    ? null
    : 'Enter an IP address without a port, such as 203.0.113.7.';

/** Explains what the first wildcard of a list grants; null if there is none. */
export function wildcardExamples(text: string): string | null {
  const grants = itemsOf(text).filter((item) => isGrant(item));
  if (grants.includes('*')) return '* grants every permission.';
  const first = grants.find((item) => item.endsWith('*'));
  if (first === undefined) return null;
  const begin = first.slice(0, -1);
  return `${first} grants ${begin}read and ${begin}read.own, but not ${begin.slice(0, -1)}.`;
}
