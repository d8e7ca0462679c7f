import { readSetting, writeSetting } from '../../app/browser/settings-store.ts';
import { createStore } from '../../hooks/create-store.ts';
import { once } from '../once.ts';

/** All pages show times in one zone: the zone of the browser, or UTC. */
export type ZoneChoice = 'local' | 'utc';

const choice = createStore<ZoneChoice>(readSetting('timeZone') === 'utc' ? 'utc' : 'local');

export const isUtc = (): boolean => choice.get() === 'utc';

export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Name of the zone, for display and for the API: `Europe/Berlin`, `UTC`. */
export const timeZone = (): string => (isUtc() ? 'UTC' : localZone());

export function setTimeZone(next: ZoneChoice): void {
  writeSetting('timeZone', next === 'local' ? null : next);
  choice.set(next);
}

export const useTimeZone = choice.use;

/** Formats times in the selected zone. */
export function zonedFormat(options: Intl.DateTimeFormatOptions): (at: number) => string {
  const local = once(() => new Intl.DateTimeFormat('en-GB', options));
  const utc = once(() => new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }));
  return (at) => (isUtc() ? utc() : local()).format(at);
}
