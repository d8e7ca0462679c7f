import type { Entry } from './entry.ts';

interface Generation {
  readonly byDigest: Map<string, Entry>;
  readonly digestById: Map<string, string>;
}

const newGeneration = (): Generation => ({ byDigest: new Map(), digestById: new Map() });

/**
 * Keys by the digest of their value, up to a number of them. In two generations: what was used since
 * the last turn is young; when half of the room is taken, the young become the old, and the former
 * old are forgotten. A hit costs one look-up, where an exact order of use would cost two writes.
 */
export class Entries {
  readonly #halfMax: number;
  readonly #onForgotten: (entry: Entry) => void;
  #young = newGeneration();
  #old = newGeneration();

  constructor(max: number, onForgotten: (entry: Entry) => void) {
    this.#halfMax = Math.max(1, Math.floor(max / 2));
    this.#onForgotten = onForgotten;
  }

  get size(): number {
    return this.#young.byDigest.size + this.#old.byDigest.size;
  }

  get(digest: string): Entry | undefined {
    const entry = this.#young.byDigest.get(digest);
    if (entry !== undefined) return entry;
    const aged = this.#old.byDigest.get(digest);
    if (aged === undefined) return undefined;
    forget(this.#old, digest, aged);
    this.set(digest, aged);
    return aged;
  }

  set(digest: string, entry: Entry): void {
    this.#drop(entry.record.id, entry);
    if (this.#young.byDigest.size >= this.#halfMax) {
      for (const each of this.#old.byDigest.values()) this.#onForgotten(each);
      this.#old = this.#young;
      this.#young = newGeneration();
    }
    this.#young.byDigest.set(digest, entry);
    this.#young.digestById.set(entry.record.id, digest);
  }

  dropKey(id: string): void {
    this.#drop(id, null);
  }

  dropProject(id: string): void {
    for (const entry of [...this.values()])
      if (entry.record.projectId === id) this.dropKey(entry.record.id);
  }

  clear(): void {
    for (const entry of [...this.values()]) this.dropKey(entry.record.id);
  }

  *values(): Generator<Entry> {
    yield* this.#young.byDigest.values();
    yield* this.#old.byDigest.values();
  }

  #drop(id: string, by: Entry | null): void {
    for (const generation of [this.#young, this.#old]) {
      const digest = generation.digestById.get(id);
      if (digest === undefined) continue;
      const entry = generation.byDigest.get(digest)!;
      forget(generation, digest, entry);
      if (entry === by) continue;
      entry.isDropped = true;
      this.#onForgotten(entry);
    }
  }
}

function forget(generation: Generation, digest: string, entry: Entry): void {
  generation.byDigest.delete(digest);
  generation.digestById.delete(entry.record.id);
}
