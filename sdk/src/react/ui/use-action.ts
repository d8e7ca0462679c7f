import { useState } from 'react';

interface Action {
  readonly busy: boolean;
  readonly error: Error | null;
  run(action: () => Promise<void>): Promise<void>;
}

/** Runs one action at a time and keeps the error of the last one. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  return {
    busy,
    error,
    async run(action) {
      if (busy) return;
      setBusy(true);
      setError(null);
      try {
        await action();
      } catch (cause) {
        setError(cause as Error);
      } finally {
        setBusy(false);
      }
    },
  };
}
