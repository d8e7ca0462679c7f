import type { ApiKey } from 'keyward';
import { useEffect, useState } from 'react';
import { searchedText } from '../api/searched-text.ts';

const PAUSE_MS = 150;

/**
 * The text of a search field. The URL is updated when typing pauses. When the URL changes otherwise
 * (back, a link, Clear), the text is updated. `foundAs` replaces the value of a key, see `searchedText`.
 */
export function useSearchText(
  urlText: string,
  setUrlText: (text: string) => void,
  foundAs?: (key: ApiKey) => string,
): readonly [string, (text: string) => void] {
  const [typed, setTyped] = useState(urlText);
  const [lastUrlText, setLastUrlText] = useState(urlText);
  if (urlText !== lastUrlText) {
    setLastUrlText(urlText);
    if (urlText !== typed.trim()) setTyped(urlText);
  }
  useEffect(() => {
    if (typed.trim() === urlText) return;
    return afterPause(typed, foundAs, (text) => {
      if (text !== typed.trim()) setTyped(text);
      setUrlText(text);
    });
  }, [typed, urlText, setUrlText, foundAs]);
  return [typed, setTyped];
}

/** What to search for, once typing has paused. */
export function useSearchedText(typed: string): string {
  const [searched, setSearched] = useState('');
  useEffect(() => afterPause(typed, undefined, setSearched), [typed]);
  return searched;
}

/** Returns the cleanup of the effect. */
function afterPause(
  typed: string,
  foundAs: ((key: ApiKey) => string) | undefined,
  use: (text: string) => void,
): () => void {
  const aborted = new AbortController();
  const timer = setTimeout(async () => {
    const text = await searchedText(typed, aborted.signal, foundAs);
    if (!aborted.signal.aborted) use(text);
  }, PAUSE_MS);
  return () => {
    clearTimeout(timer);
    aborted.abort();
  };
}
