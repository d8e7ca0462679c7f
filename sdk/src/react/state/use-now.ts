import { useEffect, useState } from 'react';

const STEP_MS = 30_000;

/** The time, for `3 minutes ago` and for keys that expire while they are shown. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), STEP_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
