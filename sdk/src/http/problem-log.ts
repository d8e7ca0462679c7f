import { KeywardError } from './errors.ts';

/** Receives one line of text that contains no secrets. */
export type Log = (message: string) => void;

const EVERY_MS = 60_000;

const HINTS: Readonly<Record<string, string>> = {
  credential_missing: 'Check `accessKey`.',
  credential_invalid: 'Check `accessKey`.',
  credential_revoked: 'Check `accessKey`.',
  credential_expired: 'Check `accessKey`.',
  scope_missing: 'The access key needs the scope keys:validate.',
  route_not_found: 'Check `url`.',
};

/**
 * Logs why keys cannot be validated, at most once a minute. Users of the API only see that it is
 * unavailable; the log gives its operator the reason.
 */
export function createProblemLog(
  log: Log = (message) => console.error(message),
  now: () => number = () => performance.now(),
): (consequence: string, error: unknown) => void {
  let silentUntil = Number.NEGATIVE_INFINITY;
  return (consequence, error) => {
    if (now() < silentUntil) return;
    silentUntil = now() + EVERY_MS;
    log(`${consequence}: ${reasonOf(error)}`);
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof KeywardError)) return messagesOf(error);
  const { code, statusCode, requestId } = error;
  const details = [code, statusCode && `status ${statusCode}`, requestId].filter(Boolean);
  return [`${messagesOf(error)} (${details.join(', ')})`, HINTS[code]].filter(Boolean).join(' ');
}

/** Includes the causes: `fetch failed` alone does not help. */
function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  const own = error.message || String(code ?? error.name);
  return error.cause === undefined ? own : `${own} ${messagesOf(error.cause)}`;
}
