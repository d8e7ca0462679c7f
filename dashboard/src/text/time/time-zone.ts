import { useSyncExternalStore } from 'react';
import { readSetting, writeSetting } from '../../app/browser/settings-store.ts';

/** All pages show times in one zone: that of the browser, or UTC. */
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

/** A formatter for the selected zone, created on first use because creating one is slow. */
export function zonedFormat(options: Intl.DateTimeFormatOptions): (at: number) => string {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (at) => {
    const zone = timeZone();
    let format = formats.get(zone);
    if (!format) {
      format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
      formats.set(zone, format);
    }
    return format.format(at);
  };
}
