import { useEffect, useState } from 'react';

/** A value as it was once it stopped changing for a moment: what is typed, for a search. */
export function useSettled<T>(value: T, pauseMs = 150): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
