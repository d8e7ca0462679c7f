import { useMemo, useState } from 'react';
import type {
  NewPortalKey,
  PortalApiKey,
  PortalLimits,
  PortalSession,
  PortalUsageRow,
} from '../client/records.ts';
import { type UsageRange, usageQuery } from '../usage/ranges.ts';
import { usePortal } from './context.ts';
import { createIdempotency } from './idempotency.ts';
import { type Loaded, useResource } from './resource.ts';

export interface Reloadable<T> extends Loaded<T> {
  reload(): Promise<void>;
}

/** The customer, what they may do, and the branding of the project. */
export function usePortalSession(): Reloadable<PortalSession> {
  const { session } = usePortal().data;
  return { ...useResource(session), reload: session.reload };
}

export interface ApiKeys extends Reloadable<readonly PortalApiKey[]> {
  /** Whether the server has more keys than `data`. */
  readonly hasMore: boolean;
  loadMore(): Promise<void>;
  /** The result contains the value of the key, which no other call returns. */
  create(key: NewPortalKey): Promise<PortalApiKey>;
  rename(id: string, name: string): Promise<void>;
  /** The result contains the value of the new key. The old one works for `graceSeconds` more. */
  rotate(id: string, options?: { readonly graceSeconds?: number }): Promise<PortalApiKey>;
  revoke(id: string): Promise<void>;
}

/** The keys of the customer, newest first, and what can be done with them. */
export function useApiKeys(): ApiKeys {
  const { data } = usePortal();
  const { keys } = data;
  const { data: loaded, ...state } = useResource(keys);
  const [idempotency] = useState(createIdempotency);
  const actions = useMemo(() => {
    const { client } = data;
    const refresh = () => {
      data.limits.refresh();
      return keys.reload();
    };
    /** Does not wait for the list: the new value must be shown even if the list cannot be loaded. */
    const add = async (call: Promise<PortalApiKey>): Promise<PortalApiKey> => {
      const added = await data.guard(call);
      idempotency.forget();
      void refresh();
      return added;
    };
    return {
      reload: keys.reload,
      loadMore: () => data.loadMoreKeys(),
      create: (key: NewPortalKey) => add(client.create(key, idempotency.keyOf({ key }))),
      rotate: (id: string, { graceSeconds = 0 }: { readonly graceSeconds?: number } = {}) =>
        add(client.rotate(id, graceSeconds, idempotency.keyOf({ id, graceSeconds }))),
      async rename(id: string, name: string) {
        await data.guard(client.rename(id, name));
        await refresh();
      },
      async revoke(id: string) {
        await data.guard(client.revoke(id));
        await refresh();
      },
    };
  }, [data, keys, idempotency]);
  return { ...state, data: loaded?.items, hasMore: loaded?.hasMore ?? false, ...actions };
}

/** The requests of the customer over time, of all keys or of one. */
export function useUsage(range: UsageRange, keyId?: string): Reloadable<readonly PortalUsageRow[]> {
  const usage = usePortal().data.usage(`${range} ${keyId}`, () =>
    usageQuery(range, Date.now(), keyId),
  );
  return { ...useResource(usage), reload: usage.reload };
}

/** The limits and credits of the customer. */
export function useLimits(): Reloadable<PortalLimits> {
  const { limits } = usePortal().data;
  return { ...useResource(limits), reload: limits.reload };
}
