import { BLOCK_BYTES, type Compression, START } from './sha256-compression.ts';
import { inScript } from './sha256-in-script.ts';
import { inWebAssembly } from './sha256-in-web-assembly.ts';

/** What fits into one block with its end mark and its length. Our own values have 54 characters. */
const ONE_BLOCK_MAX = 55;
const END_MARK = 0x80;

const encoder = new TextEncoder();

/** SHA-256 of a text, as eight words that stand until the next call. */
export function sha256By({ block, state, compress }: Compression): (text: string) => Int32Array {
  function compressLong(bytes: Uint8Array): void {
    const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
    padded.set(bytes);
    padded[bytes.length] = END_MARK;
    new DataView(padded.buffer).setUint32(padded.length - 4, bytes.length * 8);
    for (let start = 0; start < padded.length; start += BLOCK_BYTES) {
      block.set(padded.subarray(start, start + BLOCK_BYTES));
      compress();
    }
  }

  return (text) => {
    const { length } = text;
    for (let n = 0; n < START.length; n++) state[n] = START[n]!;
    // As many bytes as characters: all of them are ASCII, and the block has them all.
    if (length <= ONE_BLOCK_MAX && encoder.encodeInto(text, block).written === length) {
      block[length] = END_MARK;
      for (let n = length + 1; n < BLOCK_BYTES - 2; n++) block[n] = 0;
      block[BLOCK_BYTES - 2] = length >> 5;
      block[BLOCK_BYTES - 1] = length << 3;
      compress();
    } else compressLong(encoder.encode(text));
    return state;
  };
}

/**
 * Our own, because Web Crypto only answers later and Node's, which not every runtime has, answers
 * with a text that must be hashed again to be looked up.
 */
export const sha256 = sha256By(inWebAssembly() ?? inScript);
