import { useEffect, useState } from 'react';

/** The value, after it has not changed for `pauseMs`: a debounced search text. */
export function useSettled<T>(value: T, pauseMs = 150): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
