const HEX = /^[0-9a-fA-F]{64}$/;
const BASE64 = /^[A-Za-z0-9+/]{43}=?$/;
const BASE64URL = /^[A-Za-z0-9_-]{43}=?$/;

/** The 32 bytes of a SHA-256 written in hex, base64 or base64url; null for anything else. */
export function readSha256(text: string): Buffer | null {
  if (HEX.test(text)) return Buffer.from(text, 'hex');
  const form = BASE64.test(text) ? 'base64' : BASE64URL.test(text) ? 'base64url' : null;
  if (form === null) return null;
  const bytes = Buffer.from(text, form);
  // The last character has two unused bits: if they are set, the text was cut or mistyped.
  const isWhole = bytes.toString(form).replace('=', '') === text.replace('=', '');
  return isWhole ? bytes : null;
}
