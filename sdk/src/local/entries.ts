import type { Entry } from './entry.ts';
import { sha256 } from './sha256.ts';

interface Generation {
  readonly byDigest: Map<string, Entry>;
  readonly byId: Map<string, Entry>;
}

const newGeneration = (): Generation => ({ byDigest: new Map(), byId: new Map() });

/**
 * Cache of keys by the SHA-256 of their value, from which the value cannot be recovered. Eviction uses
 * two generations: entries used since the last eviction are young. When these fill half of the cache,
 * they become the old generation, and the previous old one is evicted. A hit costs one lookup; an exact LRU order
 * would cost two writes. A dropped key is not found, but uses memory until its generation is evicted.
 */
export class Entries {
  readonly #halfMax: number;
  readonly #onRemoved: (entry: Entry) => void;
  /** The cached keys of each project, plan and customer. */
  readonly #byGroup = new Map<string, Set<Entry>>();
  #young = newGeneration();
  #old = newGeneration();

  constructor(max: number, onRemoved: (entry: Entry) => void) {
    this.#halfMax = Math.max(1, Math.floor(max / 2));
    this.#onRemoved = onRemoved;
  }

  get size(): number {
    return this.#young.byId.size + this.#old.byId.size;
  }

  get(value: string): Entry | undefined {
    const digest = sha256(value);
    const entry = this.#young.byDigest.get(digest) ?? this.#promote(digest);
    return entry?.isDropped ? undefined : entry;
  }

  set(value: string, entry: Entry): void {
    this.#set(sha256(value), entry);
  }

  dropKey(id: string): void {
    const entry = this.#removeById(id);
    if (entry === undefined) return;
    entry.isDropped = true;
    this.#onRemoved(entry);
  }

  /** Drops all keys of a project, plan or customer. */
  dropGroup(id: string): void {
    for (const entry of [...(this.#byGroup.get(id) ?? [])]) this.dropKey(entry.record.id);
  }

  clear(): void {
    for (const entry of [...this.#values()]) this.dropKey(entry.record.id);
    this.#young = newGeneration();
    this.#old = newGeneration();
  }

  #promote(digest: string): Entry | undefined {
    const entry = this.#old.byDigest.get(digest);
    if (entry === undefined || entry.isDropped) return undefined;
    this.#removeById(entry.record.id);
    this.#set(digest, entry);
    return entry;
  }

  #set(digest: string, entry: Entry): void {
    this.dropKey(entry.record.id);
    if (this.#young.byDigest.size >= this.#halfMax) {
      for (const each of this.#old.byId.values()) {
        this.#removeFromGroups(each);
        this.#onRemoved(each);
      }
      this.#old = this.#young;
      this.#young = newGeneration();
    }
    this.#young.byDigest.set(digest, entry);
    this.#young.byId.set(entry.record.id, entry);
    for (const group of entry.groups) {
      const members = this.#byGroup.get(group);
      if (members === undefined) this.#byGroup.set(group, new Set([entry]));
      else members.add(entry);
    }
  }

  #removeFromGroups(entry: Entry): void {
    for (const group of entry.groups) {
      const members = this.#byGroup.get(group);
      members?.delete(entry);
      if (members?.size === 0) this.#byGroup.delete(group);
    }
  }

  *#values(): Generator<Entry> {
    yield* this.#young.byId.values();
    yield* this.#old.byId.values();
  }

  #removeById(id: string): Entry | undefined {
    const { byId } = this.#young.byId.has(id) ? this.#young : this.#old;
    const entry = byId.get(id);
    byId.delete(id);
    if (entry !== undefined) this.#removeFromGroups(entry);
    return entry;
  }
}
