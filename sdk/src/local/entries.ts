import type { Entry } from './entry.ts';
import { RecentValues } from './recent-values.ts';
import { sha256 } from './sha256.ts';

interface Generation {
  readonly byDigest: Map<string, Entry>;
  readonly byId: Map<string, Entry>;
}

const newGeneration = (): Generation => ({ byDigest: new Map(), byId: new Map() });

/**
 * Keys by the SHA-256 of their value, up to a number of them; nobody gets the value back from it. In
 * two generations: what was used since the last turn is young; when half of the room is taken, the
 * young become the old, and the former old are forgotten. A hit costs one look-up, where an exact
 * order of use would cost two writes. A dropped key keeps its place, and is not found, until then.
 */
export class Entries {
  readonly #halfMax: number;
  readonly #onForgotten: (entry: Entry) => void;
  readonly #recent: RecentValues;
  #young = newGeneration();
  #old = newGeneration();

  constructor(max: number, valuesInClear: number, onForgotten: (entry: Entry) => void) {
    this.#recent = new RecentValues(valuesInClear);
    this.#halfMax = Math.max(1, Math.floor(max / 2));
    this.#onForgotten = onForgotten;
  }

  get size(): number {
    return this.#young.byId.size + this.#old.byId.size;
  }

  get(value: string): Entry | undefined {
    const recent = this.#recent.get(value);
    if (recent !== undefined && !recent.isDropped) return recent;
    const digest = sha256(value);
    const entry = this.#young.byDigest.get(digest) ?? this.#renewed(digest);
    if (entry === undefined || entry.isDropped) return undefined;
    this.#recent.add(value, entry);
    return entry;
  }

  set(value: string, entry: Entry): void {
    this.#set(sha256(value), entry);
  }

  dropKey(id: string): void {
    const entry = this.#take(id);
    if (entry === undefined) return;
    entry.isDropped = true;
    this.#onForgotten(entry);
  }

  dropProject(id: string): void {
    for (const entry of [...this.#values()])
      if (entry.record.projectId === id) this.dropKey(entry.record.id);
  }

  clear(): void {
    for (const entry of [...this.#values()]) this.dropKey(entry.record.id);
    this.#recent.clear();
    this.#young = newGeneration();
    this.#old = newGeneration();
  }

  #renewed(digest: string): Entry | undefined {
    const entry = this.#old.byDigest.get(digest);
    if (entry === undefined || entry.isDropped) return undefined;
    this.#take(entry.record.id);
    this.#set(digest, entry);
    return entry;
  }

  #set(digest: string, entry: Entry): void {
    this.dropKey(entry.record.id);
    if (this.#young.byDigest.size >= this.#halfMax) {
      for (const each of this.#old.byId.values()) this.#onForgotten(each);
      // Nobody tells us of changes to what is forgotten.
      this.#recent.clear();
      this.#old = this.#young;
      this.#young = newGeneration();
    }
    this.#young.byDigest.set(digest, entry);
    this.#young.byId.set(entry.record.id, entry);
  }

  *#values(): Generator<Entry> {
    yield* this.#young.byId.values();
    yield* this.#old.byId.values();
  }

  #take(id: string): Entry | undefined {
    const { byId } = this.#young.byId.has(id) ? this.#young : this.#old;
    const entry = byId.get(id);
    byId.delete(id);
    return entry;
  }
}
