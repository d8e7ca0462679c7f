import { KeywardError } from '../../../kernel/errors.ts';

/**
 * Bounds the memory that the batch responses of one caller take, from before they are built until the client has
 * read them. Without it, a caller with many connections that read nothing could fill the memory of the node.
 */
export class ResponseBudget {
  readonly #bytesMax: number;
  readonly #reserved = new Map<unknown, number>();

  /** `bytesMax`: what one caller may have reserved at a time. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Returns the function that gives the bytes back; calling it twice does no harm. */
  reserve(caller: unknown, bytes: number): () => void {
    const total = this.#of(caller) + bytes;
    if (total > this.#bytesMax)
      throw new KeywardError(
        'overloaded',
        'Too many batch responses of this access key have not been read yet. Read them, or send fewer batches at a time.',
        { headers: ['Retry-After', '1'] },
      );
    this.#reserved.set(caller, total);
    let isReserved = true;
    return () => {
      if (!isReserved) return;
      isReserved = false;
      const left = this.#of(caller) - bytes;
      if (left === 0) this.#reserved.delete(caller);
      else this.#reserved.set(caller, left);
    };
  }

  #of(caller: unknown): number {
    return this.#reserved.get(caller) ?? 0;
  }
}
