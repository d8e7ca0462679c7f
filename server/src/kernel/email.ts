import { KeywardError } from './errors.ts';

const MAX_LENGTH = 254;
/**
 * Addresses that need no quoting: no whitespace or control characters, which could end a header, and no
 * characters with a meaning in a list of addresses.
 */
const LOCAL_PART = /^[^\s\p{C}@"(),:;<>[\]\\.]+(\.[^\s\p{C}@"(),:;<>[\]\\.]+)*$/u;
const DOMAIN =
  /^([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;

/** Returns the address, trimmed and in lower case. If it is not valid, throws an error that names `field`. */
export function readEmail(text: string, field: string): string {
  const email = text.trim().toLowerCase();
  if (isEmail(email)) return email;
  throw new KeywardError(
    'invalid_body',
    `${field}: ${JSON.stringify(text)} is not an email address.`,
  );
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  return (
    at > 0 &&
    at <= 64 &&
    text.length <= MAX_LENGTH &&
    LOCAL_PART.test(text.slice(0, at)) &&
    DOMAIN.test(text.slice(at + 1))
  );
}
