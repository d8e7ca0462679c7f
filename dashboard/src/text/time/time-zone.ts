import { useSyncExternalStore } from 'react';
import { readSetting, writeSetting } from '../../app/browser/settings-store.ts';
import { once } from '../once.ts';

/** All pages show times in one zone: the zone of the browser, or UTC. */
export type ZoneChoice = 'local' | 'utc';

let choice: ZoneChoice = readSetting('timeZone') === 'utc' ? 'utc' : 'local';
const listeners = new Set<() => void>();

export const isUtc = (): boolean => choice === 'utc';

export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Name of the zone, for display and for the API: `Europe/Berlin`, `UTC`. */
export const timeZone = (): string => (isUtc() ? 'UTC' : localZone());

export function setTimeZone(next: ZoneChoice): void {
  choice = next;
  writeSetting('timeZone', next === 'local' ? null : next);
  for (const notify of listeners) notify();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useTimeZone = (): ZoneChoice => useSyncExternalStore(subscribe, () => choice);

/** Formats times in the selected zone. */
export function zonedFormat(options: Intl.DateTimeFormatOptions): (at: number) => string {
  const local = once(() => new Intl.DateTimeFormat('en-GB', options));
  const utc = once(() => new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }));
  return (at) => (isUtc() ? utc() : local()).format(at);
}
