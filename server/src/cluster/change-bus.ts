import type { QueryExecutorProvider } from 'kysely';

/**
 * What every node must hear when a change commits, so that it drops what it remembers. The hash
 * travels beside the id because a fill that is under way knows only the hash it looks for; whose it
 * is, because streams of changes tell each tenant of its own only, also when the row is gone.
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
  /** Something may have changed that was not heard of, or there is too much to name. */
  | { readonly kind: 'everything' };

export type ChangeListener = (changes: readonly Change[]) => void;

/** What those need who remember something. */
export interface ChangeNews {
  subscribe(listener: ChangeListener): void;
  /**
   * False: what is remembered may be older than what may be served. `now` is that of `performance`,
   * for who has just asked: to ask again costs a validation a hundredth.
   */
  isInTouch(now?: number): boolean;
  /** For how long a change may have been made without having been heard of here, in ms. */
  readonly behindMs: number;
}

export interface ChangeBus extends ChangeNews {
  /**
   * Called in the transaction of the change: the other nodes hear of it when it commits, and only
   * then. Nothing they read after they heard of it is older than the change.
   */
  announce(tx: QueryExecutorProvider, changes: readonly Change[]): Promise<void>;
  /** Called after the commit and before the answer: when it returns, this node has dropped all. */
  publish(changes: readonly Change[]): void;
}
