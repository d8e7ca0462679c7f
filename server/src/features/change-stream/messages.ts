import type { Told } from './feed.ts';

/** How often a stream says that nothing else was said. */
export const BEAT_EVERY_MS = 250;

/** Why a stream ends; a client may come again, and is told then if it may not. */
export type EndReason = 'access_key_changed' | 'shutting_down' | 'begin_anew' | 'time_is_up';

/**
 * Server-sent events. `at` is a time of this process in milliseconds, of no meaning but by its
 * differences: everything that was changed before it has been told on this stream.
 */
export const beginning = (
  kind: 'reset' | 'resumed',
  cursor: string,
  at: number,
  now: number,
): string => message(kind, { at, now, beatMs: BEAT_EVERY_MS }, cursor);

export const changed = ({ keyId, projectId }: Told, cursor: string): string =>
  message('change', keyId === null ? { projectId } : { keyId }, cursor);

export const beat = (at: number): string => message('beat', { at });

export const ending = (reason: EndReason): string => message('end', { reason });

const message = (event: string, data: object, cursor?: string): string =>
  `${cursor === undefined ? '' : `id: ${cursor}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
