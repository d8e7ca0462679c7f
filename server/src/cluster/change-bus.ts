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
  | { readonly kind: 'project'; readonly id: string; readonly accountId: string };

export type ChangeListener = (changes: readonly Change[]) => void;

export interface ChangeBus {
  /** Called after the commit and before the answer: when it returns, this node has dropped all. */
  publish(changes: readonly Change[]): void;
  subscribe(listener: ChangeListener): void;
}
