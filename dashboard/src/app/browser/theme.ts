import { useSyncExternalStore } from 'react';
import { readSetting, writeSetting } from './settings-store.ts';

export type Theme = 'system' | 'light' | 'dark';

const listeners = new Set<() => void>();

function stored(): Theme {
  const theme = readSetting('theme');
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

let theme = stored();

/** `public/theme.js` applies a stored choice before the first paint. */
export function setTheme(next: Theme): void {
  theme = next;
  writeSetting('theme', next === 'system' ? null : next);
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  for (const notify of listeners) notify();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, () => theme);
