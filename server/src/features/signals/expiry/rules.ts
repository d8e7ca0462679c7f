export const DAY_MS = 86_400_000;
/** Notices that are late by more than this are not sent. */
const LATE_MS_MAX = 7 * DAY_MS;
/** The step of the expiry itself. */
export const EXPIRED = 0;

interface ExpiringKey {
  readonly isActive: boolean;
  readonly expiresAt: number | null;
  readonly createdAt: number;
}

export interface ExpiryDecision {
  /** The notice to send, unless it was sent before: days before the expiry, or `EXPIRED`. */
  readonly step: number | null;
  /** When to look at the key again; null: never. */
  readonly nextAt: number | null;
}

const NOTHING: ExpiryDecision = { step: null, nextAt: null };

/**
 * Decides which notice is due for a key. If several are due, only the one closest to the expiry counts.
 * `since`: when this installation began to send notices. A notice that was due before `since` is not sent,
 * unless the key was created after `since`.
 */
export function decideExpiry(
  { isActive, expiresAt, createdAt }: ExpiringKey,
  expiryDays: readonly number[],
  since: number,
  now: number,
): ExpiryDecision {
  if (!isActive || expiresAt === null) return NOTHING;
  const dueAt = (step: number) => expiresAt - step * DAY_MS;
  const steps = [EXPIRED, ...expiryDays.toSorted((a, b) => a - b)];
  const step = steps.find((each) => dueAt(each) <= now);
  const later = steps.filter((each) => dueAt(each) > now);
  const nextAt = later.length === 0 ? null : Math.min(...later.map(dueAt));
  if (step === undefined) return { step: null, nextAt };
  const isTooOld = dueAt(step) < now - LATE_MS_MAX || Math.max(dueAt(step), createdAt) < since;
  return { step: isTooOld ? null : step, nextAt };
}

export const daysLeft = (expiresAt: number, now: number): number =>
  Math.max(0, Math.ceil((expiresAt - now) / DAY_MS));
