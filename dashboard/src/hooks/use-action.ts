import { useCallback, useState } from 'react';
import { tellIfSessionLost } from '../api/query-client.ts';
import { explain, fieldOf } from '../text/explain.ts';

/**
 * A change under way: whether it is, and what went wrong. What it answers goes to the caller and is
 * kept nowhere, since it may be a value that is shown once.
 */
export function useAction<Input extends readonly unknown[], Answer>(
  act: (...input: Input) => Promise<Answer>,
) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [failedField, setFailedField] = useState<string | null>(null);

  /** The answer, or undefined when it failed: then `failure` says why. */
  async function run(...input: Input): Promise<Answer | undefined> {
    setBusy(true);
    setFailure(null);
    try {
      return await act(...input);
    } catch (error) {
      tellIfSessionLost(error);
      setFailure(explain(error));
      setFailedField(fieldOf(error));
      return undefined;
    } finally {
      setBusy(false);
    }
  }

  const reset = useCallback(() => setFailure(null), []);
  /** `failedField` is the field of the body that the server rejected, if it is about one. */
  return { run, busy, failure, failedField, reset };
}
