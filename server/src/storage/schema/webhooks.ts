import type { ColumnType, Generated } from 'kysely';
import type { Flag, Immutable } from './columns.ts';

export interface WebhooksTable {
  id: Immutable<string>;
  account_id: Immutable<string>;
  /** null: all projects of the account, and events that belong to none. */
  project_id: string | null;
  name: string;
  url: string;
  /** JSON array of topics. */
  topics: string;
  http_method: 'POST' | 'PUT';
  format: Generated<'standard' | 'cloudevents'>;
  /** `disabled`: by the server, after persistent failure or a 410 response. */
  status: 'live' | 'paused' | 'disabled';
  disabled_reason: string | null;
  /** A JSON object, encrypted: headers often contain credentials. */
  custom_headers: string;
  /** Encrypted. */
  secret: string;
  /** Encrypted; also used for signatures until `previous_secret_until`. */
  previous_secret: string | null;
  previous_secret_until: number | null;
  /** Time of the first failure since the last success; null while deliveries succeed. */
  failing_since: number | null;
  /** JSON: who set each setting that determines what is sent where; null: unknown. */
  set_by: string | null;
  created_at: Immutable<number>;
  updated_at: number;
  /** Deleted webhooks are kept, invisible, for the history of their deliveries. */
  deleted_at: number | null;
}

export interface EventsTable {
  id: Immutable<string>;
  account_id: Immutable<string>;
  project_id: Immutable<string | null>;
  type: Immutable<string>;
  /** The record as JSON, as the API shows it: secrets masked. */
  data: Immutable<string>;
  /** The record with its key value, encrypted; erased after the last delivery. */
  sealed_data: string | null;
  /** JSON: the customer that made the change in the portal; null for all others. */
  actor: Immutable<string | null>;
  /** The traced request that made the change; null for all others. */
  traceparent: ColumnType<string | null, string | null | undefined, never>;
  created_at: Immutable<number>;
}

/** `held`: the project is inactive or the webhook not live; sent when that changes. */
export type DeliveryStatus = 'pending' | 'held' | 'delivered' | 'failed' | 'cancelled';

export interface DeliveriesTable {
  id: Immutable<string>;
  event_id: Immutable<string>;
  webhook_id: Immutable<string>;
  account_id: Immutable<string>;
  /** Project of the event. */
  project_id: Immutable<string | null>;
  status: DeliveryStatus;
  /** Priority. 0: sent first. 1: automatic retries, replays and bulk events. */
  lane: Flag;
  attempts: number;
  due_at: number;
  lease_token: string | null;
  lease_until: number | null;
  last_status_code: number | null;
  last_error: string | null;
  replay_id: Immutable<string | null>;
  /** 1: sent with the key value, as long as the event has it. Otherwise: with the mask. */
  carries_value: ColumnType<Flag | null, Flag | undefined, 0>;
  created_at: Immutable<number>;
  updated_at: number;
}

export interface DeliveryAttemptsTable {
  seq: Generated<number>;
  delivery_id: Immutable<string>;
  started_at: Immutable<number>;
  duration_ms: Immutable<number>;
  status_code: Immutable<number | null>;
  error: Immutable<string | null>;
  response_body: Immutable<string | null>;
}

/**
 * A replay, running or finished. `cursor` is stored with each batch, so that the replay continues after a
 * restart.
 */
export interface WebhookReplaysTable {
  id: Immutable<string>;
  webhook_id: Immutable<string>;
  account_id: Immutable<string>;
  since: Immutable<number>;
  until: Immutable<number>;
  status: 'running' | 'done' | 'cancelled';
  /** Id of the last event processed. */
  cursor: string;
  total: number;
  queued: number;
  created_at: Immutable<number>;
  updated_at: number;
}
