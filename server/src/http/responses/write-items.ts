import type { Slice } from '../../kernel/route.ts';

/** The text of a list: what comes before, between and after the items. */
export interface ItemFormat {
  readonly open: string;
  readonly between: string;
  readonly close: string;
  readonly empty: string;
  item(item: unknown): string;
}

interface Limits {
  readonly itemsMax: number;
  /** The text ends before an item that does not fit, unless it is the first. */
  readonly bytesMax: number;
  readonly isGone: () => boolean;
  /** Waits until others have had their turn. */
  takeTurn(): void | Promise<void>;
}

/** How long the event loop is occupied at a time. The largest item takes about as long. */
const TURN_MS = 1;

/**
 * Writes the items of a list in pieces, one for each turn of the event loop. Returns the cursor of the next page;
 * null if this was the last.
 */
export async function* writeItems(
  slices: AsyncIterable<Slice<unknown>>,
  format: ItemFormat,
  { itemsMax, bytesMax, isGone, takeTurn }: Limits,
): AsyncGenerator<Buffer, string | null> {
  let count = 0;
  let left = bytesMax - format.open.length - format.close.length;
  let cursorOfNext = () => '';
  for await (const slice of slices) {
    for (let n = 0; n < slice.length; ) {
      await takeTurn();
      if (isGone()) throw clientGone();
      const endsAt = performance.now() + TURN_MS;
      let text = '';
      let isFull = false;
      do {
        const item = format.item(slice.item(n));
        left -= Buffer.byteLength(item) + (count === 0 ? 0 : format.between.length);
        isFull = count === itemsMax || (left < 0 && count > 0);
        if (isFull) break;
        text += (count === 0 ? format.open : format.between) + item;
        const last = n++;
        cursorOfNext = () => slice.cursorAfter(last);
        count++;
      } while (n < slice.length && performance.now() < endsAt);
      if (isFull) {
        yield Buffer.from(text + format.close);
        return cursorOfNext();
      }
      yield Buffer.from(text);
    }
    if (slice.endsPageAt === undefined) continue;
    yield Buffer.from(count === 0 ? format.empty : format.close);
    return slice.endsPageAt;
  }
  yield Buffer.from(count === 0 ? format.empty : format.close);
  return null;
}

const clientGone = () =>
  Object.assign(new Error('The client disconnected.'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
