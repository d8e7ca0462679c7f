import { useCallback, useRef, useState } from 'react';
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

/**
 * Like `useAction`, for a call with an idempotency key. The same input has the same key until the call
 * succeeds, so that trying again after a lost response creates nothing twice. The input must determine
 * the whole body.
 */
export function useCreation<Input extends readonly unknown[], Result>(
  create: (...args: [...input: Input, idempotencyKey: string]) => Promise<Result>,
) {
  const last = useRef({ input: '', key: '' });
  return useAction(async (...input: Input) => {
    const text = JSON.stringify(input);
    if (last.current.input !== text) last.current = { input: text, key: crypto.randomUUID() };
    const result = await create(...input, last.current.key);
    last.current = { input: '', key: '' };
    return result;
  });
}
