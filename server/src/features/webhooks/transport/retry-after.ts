/** Longer waits are cut to a day. */
export const RETRY_AFTER_MS_MAX = 24 * 3_600_000;

const SECONDS = /^\d+$/;
/** The only form of HTTP dates that is not obsolete. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** How long the receiver wants us to wait; null if the header is missing or invalid. */
export function parseRetryAfter(
  header: string | readonly string[] | undefined,
  now: number,
): number | null {
  const text = typeof header === 'object' ? header[0] : header;
  const wait = text === undefined ? Number.NaN : waitOf(text.trim(), now);
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), RETRY_AFTER_MS_MAX);
}

function waitOf(text: string, now: number): number {
  if (SECONDS.test(text)) return Number(text) * 1000;
  return HTTP_DATE.test(text) ? Date.parse(text) - now : Number.NaN;
}
