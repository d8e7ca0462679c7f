import { hash } from 'node:crypto';

const BLOCK = 64;
const DIGEST = 32;

/**
 * HMAC-SHA-256 with a key of at most one block, base64url. Two calls of the one-shot hash take half the
 * time of `createHmac`.
 */
export function keyedHash(key: Uint8Array): (text: string | Uint8Array) => string {
  const block = new Uint8Array(BLOCK);
  block.set(key);
  const outer = Buffer.alloc(BLOCK + DIGEST);
  outer.set(block.map((byte) => byte ^ 0x5c));
  let inner = withPad(4096);

  function withPad(bytes: number): Buffer {
    const buffer = Buffer.alloc(BLOCK + bytes);
    buffer.set(block.map((byte) => byte ^ 0x36));
    return buffer;
  }

  return (text) => {
    // The buffer of a long text is not kept.
    const bytesMax = typeof text === 'string' ? text.length * 3 : text.length;
    const buffer = BLOCK + bytesMax <= inner.length ? inner : withPad(bytesMax);
    if (bytesMax <= 64 << 10) inner = buffer;
    const bytes = typeof text === 'string' ? buffer.write(text, BLOCK) : text.length;
    if (typeof text !== 'string') buffer.set(text, BLOCK);
    outer.set(hash('sha256', buffer.subarray(0, BLOCK + bytes), 'buffer'), BLOCK);
    return hash('sha256', outer, 'base64url');
  };
}
