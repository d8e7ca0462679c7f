import { useEffect, useState } from 'react';

const PAUSE_MS = 150;

/**
 * The text of a search field. The URL is updated when typing pauses. When the URL changes otherwise
 * (back, a link, Clear), the text is updated.
 */
export function useSearchText(
  settled: string,
  settle: (text: string) => void,
): readonly [string, (text: string) => void] {
  const [typed, setTyped] = useState(settled);
  const [lastSettled, setLastSettled] = useState(settled);
  if (settled !== lastSettled) {
    setLastSettled(settled);
    if (settled !== typed.trim()) setTyped(settled);
  }
  useEffect(() => {
    if (typed.trim() === settled) return;
    const timer = setTimeout(() => settle(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, settled, settle]);
  return [typed, setTyped];
}
