import { useSyncExternalStore } from 'react';
import { de } from './de.ts';
import { en, type Messages } from './en.ts';

const CATALOGUES = { en, de };

/** The languages of the components. */
export type Locale = keyof typeof CATALOGUES;
export const LOCALES = Object.keys(CATALOGUES) as readonly Locale[];

export const messagesOf = (locale: Locale): Messages => CATALOGUES[locale];

/** The first language that the browser prefers and a catalogue exists for; else English. */
export function preferredLocale(languages: readonly string[]): Locale {
  for (const language of languages) {
    const name = language.toLowerCase().split('-')[0];
    const found = LOCALES.find((locale) => locale === name);
    if (found) return found;
  }
  return 'en';
}

const subscribe = (listener: () => void) => {
  addEventListener('languagechange', listener);
  return () => removeEventListener('languagechange', listener);
};

/** The language of the browser. A server renders English; the browser replaces it after hydration. */
export const useBrowserLocale = (): Locale =>
  useSyncExternalStore(
    subscribe,
    () => preferredLocale(navigator.languages),
    () => 'en',
  );
