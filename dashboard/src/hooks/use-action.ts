import { useCallback, useState } from 'react';
import { notifyIfSessionLost } from '../api/query-client.ts';
import { explain, fieldOf } from '../text/explain.ts';

/**
 * Runs a change, with `busy` and `failure` as state. The result is returned to the caller and not
 * stored, because it may contain a value that is shown once.
 */
export function useAction<Input extends readonly unknown[], Result>(
  act: (...input: Input) => Promise<Result>,
) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [failedField, setFailedField] = useState<string | null>(null);

  /** Returns the result, or undefined if it failed; then `failure` has the message. */
  async function run(...input: Input): Promise<Result | undefined> {
    setBusy(true);
    setFailure(null);
    try {
      return await act(...input);
    } catch (error) {
      notifyIfSessionLost(error);
      setFailure(explain(error));
      setFailedField(fieldOf(error));
      return undefined;
    } finally {
      setBusy(false);
    }
  }

  const reset = useCallback(() => setFailure(null), []);
  /** `failedField` is the field of the body that the server rejected, if any. */
  return { run, busy, failure, failedField, reset };
}
