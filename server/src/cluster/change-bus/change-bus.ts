import type { QueryExecutorProvider } from 'kysely';

/**
 * A committed change. Every node receives it and removes the changed row from its cache. It contains the
 * hash, because a running fill knows only the hash it looks for. It contains the owner, because change
 * streams send each tenant only its own changes, even after the row is deleted.
 */
export type Change =
  | {
      readonly kind: 'api-key';
      readonly id: string;
      readonly hash: string;
      readonly accountId: string;
      readonly projectId: string;
    }
  | { readonly kind: 'access-key'; readonly id: string; readonly hash: string }
  | { readonly kind: 'project'; readonly id: string; readonly accountId: string }
  /** Credits were added to a pool, or set. */
  | { readonly kind: 'credits'; readonly pool: string }
  | {
      readonly kind: 'plan';
      readonly id: string;
      readonly accountId: string;
      readonly projectId: string;
    }
  | {
      readonly kind: 'customer';
      /** A hash of project and `customAccountId`: computable from a key even if the customer has no row yet. */
      readonly group: string;
      readonly accountId: string;
      readonly projectId: string;
    }
  /** Anything may have changed: messages were missed, or there are too many changes to list. */
  | { readonly kind: 'everything' };

export type ChangeListener = (changes: readonly Change[]) => void;

/** The part of the bus that caches use. */
export interface ChangeFeed {
  subscribe(listener: ChangeListener): void;
  /**
   * False: cached entries may be older than allowed. Callers that have just read
   * `performance.now()` pass it as `now`: reading it again costs 1 % of a validation.
   */
  isUpToDate(now?: number): boolean;
  /** Every change made longer ago than this has been received. */
  readonly behindMs: number;
}

export interface ChangeBus extends ChangeFeed {
  /**
   * Called in the transaction that makes the changes. The other nodes receive the changes when it commits,
   * and only then. What they read after that is never older than the changes.
   */
  announce(tx: QueryExecutorProvider, changes: readonly Change[]): Promise<void>;
  /** Called after the commit and before the response: invalidates the caches of this node. */
  publish(changes: readonly Change[]): void;
}
