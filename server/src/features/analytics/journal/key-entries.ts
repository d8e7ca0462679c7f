import {
  EXTRA_COST_AT,
  extraCostOf,
  packedCount,
  setExtraCost,
  unpackInto,
  WIDTH,
} from './packed-entries.ts';

/** Unpacked entries of one minute, sorted by seq, each key once. */
export type KeyEntries = Uint32Array;

/** Room for the index in the sort key `seq * INDEX_RANGE + index`; the product stays an exact integer. */
const INDEX_RANGE = 2 ** 20;

/** Merges batches. A key can be in several, and twice in one if it left the cache and came back. */
export function sumOf(batches: readonly Uint8Array[]): KeyEntries {
  const count = batches.reduce((sum, batch) => sum + packedCount(batch), 0);
  const entries = new Uint32Array(count * WIDTH);
  let end = 0;
  for (const batch of batches) end = unpackInto(entries, end, batch);
  // A Float64Array is sorted without a comparison function, which is several times faster.
  const order = new Float64Array(count);
  for (let n = 0; n < order.length; n++) order[n] = entries[n * WIDTH]! * INDEX_RANGE + n;
  return inOrder(entries, order.sort());
}

/** The entries in this order, with all entries of a key added up. */
function inOrder(entries: Uint32Array, order: Float64Array): KeyEntries {
  const sorted = new Uint32Array(entries.length);
  let end = 0;
  for (let n = 0; n < order.length; n++) {
    const from = (order[n]! % INDEX_RANGE) * WIDTH;
    if (end > 0 && sorted[end - WIDTH] === entries[from]) {
      addTo(sorted, end - WIDTH, entries, from);
      continue;
    }
    for (let i = 0; i < WIDTH; i++) sorted[end + i] = entries[from + i]!;
    end += WIDTH;
  }
  return sorted.subarray(0, end);
}

/** Rows of seq and counts, in the order of KEY_COLUMNS. */
export const countRows = (entries: KeyEntries): number[][] =>
  rowsOf(entries, (at) => {
    const row = [entries[at]!];
    for (let n = 2; n < EXTRA_COST_AT; n++) row.push(entries[at + n]!);
    row.push(extraCostOf(entries, at));
    return row;
  });

/** Rows of seq and time of the latest valid use, of keys that have one. */
export const lastUseRows = (entries: KeyEntries, minute: number): number[][] =>
  rowsOf(entries, (at) => {
    const offset = entries[at + 1]!;
    return offset === 0 ? null : [entries[at]!, minute + offset - 1];
  });

function rowsOf(entries: KeyEntries, row: (at: number) => number[] | null): number[][] {
  const rows: number[][] = [];
  for (let at = 0; at < entries.length; at += WIDTH) {
    const made = row(at);
    if (made !== null) rows.push(made);
  }
  return rows;
}

/** Merges sorted entries, a part at a time, with a heap. */
export class EntryMerger {
  readonly #sources: readonly KeyEntries[];
  /** How far each source has been read. */
  readonly #at: number[];
  /** Indexes of the sources with entries left, as a heap ordered by their next seq. */
  readonly #heap: number[] = [];

  constructor(sources: readonly KeyEntries[], afterSeq: number) {
    this.#sources = sources;
    this.#at = sources.map((entries) => firstAfter(entries, afterSeq));
    for (let n = 0; n < sources.length; n++)
      if (this.#at[n]! < sources[n]!.length) {
        this.#heap.push(n);
        this.#up(this.#heap.length - 1);
      }
  }

  get isDone(): boolean {
    return this.#heap.length === 0;
  }

  take(keysMax: number): KeyEntries {
    const merged = new Uint32Array(keysMax * WIDTH);
    let end = 0;
    while (this.#heap.length > 0) {
      const from = this.#heap[0]!;
      const entries = this.#sources[from]!;
      const at = this.#at[from]!;
      const isSame = end > 0 && merged[end - WIDTH] === entries[at];
      if (!isSame && end === merged.length) break;
      if (!isSame) {
        merged[end] = entries[at]!;
        end += WIDTH;
      }
      addTo(merged, end - WIDTH, entries, at);
      this.#advance(from);
    }
    return merged.subarray(0, end);
  }

  #advance(from: number): void {
    this.#at[from]! += WIDTH;
    if (this.#at[from]! >= this.#sources[from]!.length) {
      const last = this.#heap.pop()!;
      if (this.#heap.length === 0) return;
      this.#heap[0] = last;
    }
    this.#down(0);
  }

  #seqAt(node: number): number {
    const from = this.#heap[node]!;
    return this.#sources[from]![this.#at[from]!]!;
  }

  #swap(a: number, b: number): void {
    const moved = this.#heap[a]!;
    this.#heap[a] = this.#heap[b]!;
    this.#heap[b] = moved;
  }

  #up(node: number): void {
    for (let child = node; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (this.#seqAt(parent) <= this.#seqAt(child)) return;
      this.#swap(parent, child);
      child = parent;
    }
  }

  #down(node: number): void {
    for (let parent = node; ; ) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2])
        if (child < this.#heap.length && this.#seqAt(child) < this.#seqAt(least)) least = child;
      if (least === parent) return;
      this.#swap(parent, least);
      parent = least;
    }
  }
}

function addTo(merged: KeyEntries, to: number, entries: KeyEntries, at: number): void {
  merged[to + 1] = Math.max(merged[to + 1]!, entries[at + 1]!);
  for (let n = 2; n < EXTRA_COST_AT; n++) merged[to + n]! += entries[at + n]!;
  setExtraCost(merged, to, extraCostOf(merged, to) + extraCostOf(entries, at));
}

/** Index of the first entry after `afterSeq`: an interrupted fold continues there. */
function firstAfter(entries: KeyEntries, afterSeq: number): number {
  let low = 0;
  let high = entries.length / WIDTH;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle * WIDTH]! <= afterSeq) low = middle + 1;
    else high = middle;
  }
  return low * WIDTH;
}
