import type { Answer } from './wire.ts';

/** Smaller ones cost less to copy than to move. */
const LARGE_BYTES = 16 << 10;

/**
 * The memory of large values in answers, for a message that takes it along. Copied, it would stay
 * behind as garbage of a thread that makes so little that it hardly ever collects any: a reader
 * that had handed over the usage of a minute held 40 MB for nobody.
 */
export function largeBlocksOf(answers: readonly Answer[]): ArrayBuffer[] {
  const blocks = new Set<ArrayBuffer>();
  for (const { rows } of answers) {
    if (!rows?.[0]?.some((value) => value instanceof Uint8Array)) continue;
    for (const row of rows) for (const value of row) if (isLarge(value)) blocks.add(value.buffer);
  }
  return [...blocks];
}

const isLarge = (value: unknown): value is Uint8Array<ArrayBuffer> =>
  value instanceof Uint8Array &&
  value.buffer instanceof ArrayBuffer &&
  value.buffer.byteLength >= LARGE_BYTES;
