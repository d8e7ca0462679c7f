import type { Entry } from './entry.ts';
import { sha256 } from './sha256.ts';

/**
 * Cache of keys by the SHA-256 of their value, from which the value cannot be recovered. When it is full, the
 * entries that were added first are evicted, whether they are used or not: the next validation of such a key
 * fetches it again, and a hit costs one lookup.
 */
export class Entries {
  readonly #max: number;
  readonly #onRemoved: (entry: Entry) => void;
  /** Oldest first. */
  readonly #byDigest = new Map<string, Entry>();
  /** The digest of each key, by the id of the key. */
  readonly #digests = new Map<string, string>();
  /** The cached keys of each project, plan and customer. */
  readonly #byGroup = new Map<string, Set<Entry>>();

  constructor(max: number, onRemoved: (entry: Entry) => void) {
    this.#max = Math.max(1, Math.floor(max));
    this.#onRemoved = onRemoved;
  }

  get size(): number {
    return this.#byDigest.size;
  }

  /** How many entries can be added without evicting others. */
  get room(): number {
    return this.#max - this.#byDigest.size;
  }

  get(value: string): Entry | undefined {
    return this.#byDigest.get(sha256(value));
  }

  set(value: string, entry: Entry): void {
    const digest = sha256(value);
    const { id } = entry.record;
    // The key may have had another value, and the value may have belonged to another key.
    this.dropKey(id);
    this.#drop(digest);
    if (this.#byDigest.size >= this.#max) this.#evict();
    this.#byDigest.set(digest, entry);
    this.#digests.set(id, digest);
    for (const group of entry.groups) {
      const members = this.#byGroup.get(group);
      if (members === undefined) this.#byGroup.set(group, new Set([entry]));
      else members.add(entry);
    }
  }

  dropKey(id: string): void {
    const digest = this.#digests.get(id);
    if (digest !== undefined) this.#drop(digest);
  }

  /** Drops all keys of a project, plan or customer. */
  dropGroup(id: string): void {
    for (const entry of [...(this.#byGroup.get(id) ?? [])]) this.dropKey(entry.record.id);
  }

  clear(): void {
    for (const digest of [...this.#byDigest.keys()]) this.#drop(digest);
  }

  /** A hundredth at once, because finding the first entry of a large `Map` after each removal takes 0.1 ms. */
  #evict(): void {
    const left = Math.floor(this.#max * 0.99);
    for (const digest of this.#byDigest.keys()) {
      if (this.#byDigest.size <= left) return;
      this.#drop(digest);
    }
  }

  #drop(digest: string): void {
    const entry = this.#byDigest.get(digest);
    if (entry === undefined) return;
    this.#byDigest.delete(digest);
    this.#digests.delete(entry.record.id);
    for (const group of entry.groups) {
      const members = this.#byGroup.get(group);
      members?.delete(entry);
      if (members?.size === 0) this.#byGroup.delete(group);
    }
    entry.isDropped = true;
    this.#onRemoved(entry);
  }
}
