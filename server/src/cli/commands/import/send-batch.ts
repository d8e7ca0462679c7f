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
      if (!isTemporary(error)) throw error;
      const retryAfter = error instanceof KeywardError ? error.retryAfterSeconds : null;
      await wait(retryAfter === null ? waitMs : retryAfter * 1000);
    }
  return sendOnce(api, operation, body);
}

export const sendOnce = <Result>(
  api: Api,
  operation: ImportOperation,
  body: object,
): Promise<Result> => api.call<Result>(operation, { body });

/** No response, a rate limit, or an error of the server. `Api` explains some errors, and keeps the cause. */
function isTemporary(error: unknown): boolean {
  const cause = error instanceof Error && !(error instanceof KeywardError) ? error.cause : error;
  if (!(cause instanceof KeywardError)) return false;
  const { code, statusCode } = cause;
  return (
    code === 'timeout' ||
    code === 'unreachable' ||
    statusCode === 429 ||
    (statusCode !== null && statusCode >= 500)
  );
}
