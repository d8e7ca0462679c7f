import type { StreamedChange } from './feed.ts';

export const HEARTBEAT_MS = 250;

/** Why a stream ends. The client may reconnect; if it has lost access, the server then rejects it. */
export type EndReason =
  | 'access_key_changed'
  | 'shutting_down'
  | 'changes_missed'
  | 'duration_reached';

/**
 * The first event of a stream, or the first after the missed changes. `at` and `now` are monotonic times of
 * this process in milliseconds, of which only differences matter. Every change made before `at` has been sent
 * on this stream.
 */
export const startMessage = (
  kind: 'reset' | 'resumed',
  cursor: string,
  at: number,
  now: number,
): string => message(kind, { at, now, beatMs: HEARTBEAT_MS }, cursor);

/**
 * A change of a plan or customer contains `projectId` too: older clients know neither, and remove all keys of
 * the project.
 */
export const changeMessage = (change: StreamedChange, cursor: string): string =>
  message('change', 'keyId' in change ? { keyId: change.keyId } : change, cursor);

export const heartbeatMessage = (at: number): string => message('beat', { at });

export const endMessage = (reason: EndReason): string => message('end', { reason });

const message = (event: string, data: object, cursor?: string): string =>
  `${cursor === undefined ? '' : `id: ${cursor}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
