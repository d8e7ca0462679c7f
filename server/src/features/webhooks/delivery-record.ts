import { isoTime } from '../../kernel/clock.ts';
import type { Topic } from '../changes/index.ts';
import type { Attempt, Delivery } from './delivery-schema.ts';
import type { AttemptRow, DeliveryRow } from './delivery-store.ts';

export const delivery = (row: DeliveryRow, attempts: readonly AttemptRow[] = []): Delivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  eventId: row.event_id,
  topic: row.type as Topic,
  status: row.status,
  attempts: row.attempts,
  lastStatusCode: row.last_status_code,
  lastError: row.last_error,
  dueAt: row.status === 'pending' ? isoTime(row.due_at) : null,
  replayId: row.replay_id,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
  recentAttempts: attempts.map(attempt),
});

const attempt = (row: AttemptRow): Attempt => ({
  startedAt: isoTime(row.started_at),
  durationMs: row.duration_ms,
  statusCode: row.status_code,
  error: row.error,
  responseBody: row.response_body,
});
