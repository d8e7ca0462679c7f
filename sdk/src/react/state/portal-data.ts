import { KeywardError } from '../../http/errors.ts';
import { PortalClient } from '../client/portal-client.ts';
import type {
  PortalApiKey,
  PortalLimits,
  PortalSession,
  PortalUsageQuery,
  PortalUsageRow,
} from '../client/records.ts';
import { Resource } from './resource.ts';

interface LoadedKeys {
  readonly items: readonly PortalApiKey[];
  /** Whether the server has more keys than `items`. */
  readonly hasMore: boolean;
}

/** Everything that the components of one session show, and the session's end. */
export class PortalData {
  readonly client: PortalClient;
  readonly session: Resource<PortalSession>;
  readonly keys: Resource<LoadedKeys>;
  readonly limits: Resource<PortalLimits>;
  readonly #usage = new Map<string, Resource<readonly PortalUsageRow[]>>();
  readonly #listeners = new Set<() => void>();
  #isExpired = false;
  #keyPages = 1;

  constructor(url: string, token: string) {
    this.client = new PortalClient(url, token);
    this.session = new Resource(() => this.guard(this.client.session()));
    this.keys = new Resource(() => this.guard(this.#loadKeys()));
    this.limits = new Resource(() => this.guard(this.#loadLimits()));
  }

  /** The usage of a time range. Each load calls `query`, so that a reload ends at the present time. */
  usage(name: string, query: () => PortalUsageQuery): Resource<readonly PortalUsageRow[]> {
    let resource = this.#usage.get(name);
    if (!resource) {
      resource = new Resource(() => this.guard(this.client.usage(query())));
      this.#usage.set(name, resource);
    }
    return resource;
  }

  /** Passes on the result of a call. A 401 means that the session has ended. */
  async guard<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof KeywardError && error.statusCode === 401) this.#expire();
      throw error;
    }
  }

  loadMoreKeys(): Promise<void> {
    this.#keyPages++;
    return this.keys.reload();
  }

  refresh(): void {
    if (this.#isExpired) return;
    for (const resource of [this.session, this.keys, this.limits, ...this.#usage.values()])
      resource.refresh();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly isExpired = (): boolean => this.#isExpired;

  #expire(): void {
    if (this.#isExpired) return;
    this.#isExpired = true;
    for (const listener of this.#listeners) listener();
  }

  async #loadLimits(): Promise<PortalLimits> {
    const { data: session } = this.session.get();
    if (!session?.allow.includes('usage:read')) return { credits: null, limits: [] };
    return this.client.limits();
  }

  async #loadKeys(): Promise<LoadedKeys> {
    const items: PortalApiKey[] = [];
    let pages = 0;
    for await (const page of this.client.keys().pages()) {
      items.push(...page.items);
      if (++pages >= this.#keyPages) return { items, hasMore: page.nextCursor !== null };
    }
    return { items, hasMore: false };
  }
}
