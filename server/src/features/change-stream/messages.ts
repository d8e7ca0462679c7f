import type { StreamedChange } from './feed.ts';

export const HEARTBEAT_MS = 250;

/** Why a stream ends. The client may reconnect, and is rejected then if it has lost access. */
export type EndReason =
  | 'access_key_changed'
  | 'shutting_down'
  | 'changes_missed'
  | 'duration_reached';

/**
 * Begins a stream of server-sent events, after the changes that were missed. `at` is a time of this process
 * in milliseconds: every change made before it has been sent on this stream. Only differences of such times
 * matter.
 */
export const startMessage = (
  kind: 'reset' | 'resumed',
  cursor: string,
  at: number,
  now: number,
): string => message(kind, { at, now, beatMs: HEARTBEAT_MS }, cursor);

/** Clients that know neither plans nor customers remove all keys of `projectId`. */
export const changeMessage = (change: StreamedChange, cursor: string): string =>
  message('change', 'keyId' in change ? { keyId: change.keyId } : change, cursor);

export const heartbeatMessage = (at: number): string => message('beat', { at });

export const endMessage = (reason: EndReason): string => message('end', { reason });

const message = (event: string, data: object, cursor?: string): string =>
  `${cursor === undefined ? '' : `id: ${cursor}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
