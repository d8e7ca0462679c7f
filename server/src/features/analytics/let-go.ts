/**
 * Gives the memory of a block back that nobody needs any more. Blocks that are held while they are
 * written outlive the collections of what is young, and tens of megabytes of them would wait for
 * one of the whole heap.
 */
export function letGo({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
