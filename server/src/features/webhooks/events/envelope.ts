import { isoTime } from '../../../kernel/time/clock.ts';
import type { EventActor, Topic } from '../../changes/index.ts';

export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly account_id: string;
  readonly project_id: string | null;
  readonly actor: string | null;
  readonly created_at: number;
}

/** The body of a delivery. */
export interface Envelope {
  readonly id: string;
  readonly type: Topic;
  readonly timestamp: string;
  readonly accountId: string;
  readonly projectId: string | null;
  /** Only if a customer made the change in the portal. */
  readonly actor?: EventActor;
  readonly data: Record<string, unknown>;
}

/** Id of the resource that an event is about, and its name. */
export function resourceOf(data: Envelope['data']): { id: string; name: string } {
  const { id, keyId, customAccountId, projectId, keyName, name } = data as Record<
    string,
    string | null | undefined
  >;
  return { id: id ?? keyId ?? customAccountId ?? projectId ?? '', name: keyName ?? name ?? '' };
}

/** `data` is the record as JSON text, with the key value or its mask. */
export const envelope = (event: EventRow, data: string): Envelope => ({
  id: event.id,
  type: event.type as Topic,
  timestamp: isoTime(event.created_at),
  accountId: event.account_id,
  projectId: event.project_id,
  ...(event.actor !== null && { actor: JSON.parse(event.actor) }),
  data: JSON.parse(data),
});
