import { createStore } from '../../hooks/create-store.ts';
import { readSetting, writeSetting } from './settings-store.ts';

export type Theme = 'system' | 'light' | 'dark';

function stored(): Theme {
  const theme = readSetting('theme');
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

const theme = createStore(stored());

/** `public/theme.js` applies a stored choice before the first paint. */
export function setTheme(next: Theme): void {
  writeSetting('theme', next === 'system' ? null : next);
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  theme.set(next);
}

export const useTheme = theme.use;
