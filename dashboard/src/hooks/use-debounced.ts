import { useEffect, useState } from 'react';

/** The value, after it has not changed for `pauseMs`: a debounced search text. */
export function useDebounced<T>(value: T, pauseMs = 150): T {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return debounced;
}
