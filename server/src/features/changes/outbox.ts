import type { Topic } from '@keyward/rules/topics.ts';
import type { CompiledQuery } from 'kysely';
import type { NewKey } from '../../kernel/authority.ts';
import type { Tx } from '../../storage/index.ts';

/** The customer that made a change in the portal. */
export interface EventActor {
  readonly type: 'portal';
  readonly customAccountId: string;
}

export interface OutgoingEvent {
  /** Default: a new id. */
  readonly id?: string;
  readonly type: Topic;
  readonly accountId: string;
  readonly projectId: string | null;
  /** The record as the API shows it. */
  readonly data: object;
  /** Set by ChangeRunner. */
  readonly actor?: EventActor;
  /**
   * For a new key: its record with the value, sent to webhooks whose authors could create the key
   * themselves. All others get `data`.
   */
  readonly withValue?: { readonly data: object; readonly key: NewKey };
  /** Stored even if no webhook is subscribed: a mail is composed from it. */
  readonly isKept?: boolean;
  /** One of possibly many events at once: its deliveries are sent after the deliveries of other events. */
  readonly isBulk?: true;
}

/**
 * Stores the events of a change. Implemented by features/webhooks; the interface is here because that
 * feature makes changes too.
 */
export interface Outbox {
  /**
   * Stores the events that a webhook is subscribed to, with a delivery for each one that is live. Returns the
   * webhooks to wake.
   */
  write(tx: Tx, events: readonly OutgoingEvent[], now: number): Promise<readonly string[]>;
  /**
   * Queries that find nothing if no webhook can be subscribed to the events, so that nothing needs to be
   * written. Null if this node already knows of such a webhook.
   */
  guardsWithoutSubscribers(events: readonly OutgoingEvent[]): readonly CompiledQuery[] | null;
  /** Holds the deliveries of a project that becomes inactive. */
  hold(tx: Tx, projectId: string, now: number): Promise<void>;
  /** Makes the held deliveries of a project due when it is active again. Returns the webhooks to wake. */
  release(tx: Tx, projectId: string, now: number): Promise<readonly string[]>;
  /** Starts deliveries; called after the commit. */
  wake(webhookIds: readonly string[]): void;
}
