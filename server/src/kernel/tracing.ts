import { tracingChannel } from 'node:diagnostics_channel';

export interface StatementWork {
  readonly sql: string;
}

export interface AttemptWork {
  readonly eventId: string;
  readonly topic: string;
  readonly webhookId: string;
  /** The span that caused the event; a subscriber replaces it by the span of the attempt. */
  traceparent: string | null;
  /** Set when the attempt ends. */
  statusCode: number | null;
}

/**
 * Work that telemetry/ records as spans if telemetry is on. Without subscribers, tracing costs one check of
 * `hasSubscribers`.
 */
export const statements = tracingChannel<StatementWork>('keyward:statement');
export const transactions = tracingChannel<object>('keyward:transaction');
export const attempts = tracingChannel<AttemptWork>('keyward:attempt');

const SAMPLED = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f][13579bdf]/;

/** Whether the caller records the trace that this header names. */
export const isSampled = (traceparent: string | undefined): boolean =>
  traceparent !== undefined && SAMPLED.test(traceparent);
