import type { NewKey } from '../../kernel/authority.ts';
import type { Script, Tx } from '../../storage/index.ts';

/** What subscribers can hear of. */
export const TOPICS = [
  'api-key.created',
  'api-key.deleted',
  'api-key.updated',
  'api-key.firstUsed',
  'access-key.created',
  'access-key.updated',
  'access-key.deleted',
  'project.updated',
] as const;
export type Topic = (typeof TOPICS)[number];

export interface OutgoingEvent {
  readonly type: Topic;
  readonly accountId: string;
  readonly projectId: string | null;
  /** The record as the API shows it. */
  readonly data: object;
  /**
   * Where a key is created: its record with the value, for subscribers who may create the key
   * themselves. All others get `data`.
   */
  readonly withValue?: { readonly data: object; readonly key: NewKey };
}

/**
 * Where a change leaves the events it makes. Told apart from features/webhooks, which implements
 * it, because that feature makes changes too.
 */
export interface Outbox {
  /** Events and one delivery for each webhook that wants them; answers the webhooks to wake. */
  write(tx: Tx, events: readonly OutgoingEvent[], now: number): Promise<readonly string[]>;
  /** The events alone, guarded by that nobody wants them. null: somebody is known to. */
  unheard(events: readonly OutgoingEvent[], now: number): Script | null;
  /** Deliveries of an inactive project wait. */
  hold(tx: Tx, projectId: string, now: number): Promise<void>;
  /** And go out when it is active again; answers the webhooks to wake. */
  release(tx: Tx, projectId: string, now: number): Promise<readonly string[]>;
  /** Called after the commit. */
  wake(webhookIds: readonly string[]): void;
}
