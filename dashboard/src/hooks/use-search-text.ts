import { useEffect, useState } from 'react';

const PAUSE_MS = 150;

/**
 * The text of a search field. The URL is updated when typing pauses. When the URL changes otherwise
 * (back, a link, Clear), the text is updated.
 */
export function useSearchText(
  urlText: string,
  setUrlText: (text: string) => void,
): readonly [string, (text: string) => void] {
  const [typed, setTyped] = useState(urlText);
  const [lastUrlText, setLastUrlText] = useState(urlText);
  if (urlText !== lastUrlText) {
    setLastUrlText(urlText);
    if (urlText !== typed.trim()) setTyped(urlText);
  }
  useEffect(() => {
    if (typed.trim() === urlText) return;
    const timer = setTimeout(() => setUrlText(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, urlText, setUrlText]);
  return [typed, setTyped];
}
