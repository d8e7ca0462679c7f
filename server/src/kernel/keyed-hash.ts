import { hash } from 'node:crypto';

const BLOCK = 64;
const DIGEST = 32;

/**
 * HMAC-SHA-256 under one key of at most a block, base64url: two calls of the one-shot hash, which
 * take half the time of an object made by `createHmac` for every text.
 */
export function keyedHash(key: Uint8Array): (text: string) => string {
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
    // A long one is not kept: its buffer would stay for good.
    const bytesMax = text.length * 3;
    const held = BLOCK + bytesMax <= inner.length ? inner : withPad(bytesMax);
    if (bytesMax <= 64 << 10) inner = held;
    const bytes = held.write(text, BLOCK);
    outer.write(hash('sha256', held.subarray(0, BLOCK + bytes), 'hex'), BLOCK, 'hex');
    return hash('sha256', outer, 'base64url');
  };
}
