import { useSyncExternalStore } from 'react';

/** What is known of something that is loaded from the server. */
export interface Loaded<T> {
  /** The last successful response, kept while a newer one is loading or after it failed. */
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly isLoading: boolean;
}

/** Loads when the first component subscribes, and shares the result between components. */
export class Resource<T> {
  readonly #load: () => Promise<T>;
  readonly #listeners = new Set<() => void>();
  #state: Loaded<T> = { data: undefined, error: null, isLoading: true };
  /** Number of the latest load: the result of an earlier one is dropped. */
  #latest = 0;
  #isOutdated = true;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#isOutdated) void this.reload();
    return () => this.#listeners.delete(listener);
  };

  readonly get = (): Loaded<T> => this.#state;

  readonly reload = async (): Promise<void> => {
    const number = ++this.#latest;
    this.#isOutdated = false;
    this.#set({ ...this.#state, isLoading: true });
    try {
      const data = await this.#load();
      if (number === this.#latest) this.#set({ data, error: null, isLoading: false });
    } catch (error) {
      if (number === this.#latest)
        this.#set({ ...this.#state, error: error as Error, isLoading: false });
    }
  };

  /** Reloads what is on the screen; the rest is loaded again when it is shown. */
  readonly refresh = (): void => {
    if (this.#listeners.size > 0) void this.reload();
    else {
      this.#latest++;
      this.#isOutdated = true;
    }
  };

  #set(state: Loaded<T>): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const useResource = <T>(resource: Resource<T>): Loaded<T> =>
  useSyncExternalStore(resource.subscribe, resource.get, resource.get);
