import { setTimeout as wait } from 'node:timers/promises';
import { KeywardError } from 'keyward';
import type { Api } from '../../api.ts';

/** About 30 s in total: longer than a server takes to restart. */
const WAITS_MS = [250, 500, 1000, 2000, 4000, 8000, 8000, 8000];

type ImportOperation = 'importApiKeys' | 'importCustomers';

/** A batch may be sent again: what exists is left unchanged. */
export async function sendWithRetries<Result>(
  api: Api,
  operation: ImportOperation,
  body: object,
): Promise<Result> {
  for (const waitMs of WAITS_MS)
    try {
      return await sendOnce(api, operation, body);
    } catch (error) {
      const cause = causeOf(error);
      if (cause === null || !isTemporary(cause)) throw error;
      const { retryAfterSeconds } = cause;
      await wait(retryAfterSeconds === null ? waitMs : retryAfterSeconds * 1000);
    }
  return sendOnce(api, operation, body);
}

export const sendOnce = <Result>(
  api: Api,
  operation: ImportOperation,
  body: object,
): Promise<Result> => api.call<Result>(operation, { body });

/** The error of the SDK: `Api` explains some errors in its own words, and keeps the cause. */
function causeOf(error: unknown): KeywardError | null {
  const cause = error instanceof Error && !(error instanceof KeywardError) ? error.cause : error;
  return cause instanceof KeywardError ? cause : null;
}

/** No response, a rate limit, or an error of the server. */
const isTemporary = ({ code, statusCode }: KeywardError): boolean =>
  code === 'timeout' ||
  code === 'unreachable' ||
  statusCode === 429 ||
  (statusCode !== null && statusCode >= 500);
