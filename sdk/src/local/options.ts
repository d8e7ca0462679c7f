import type { Log } from '../http/problem-log.ts';
import type { KeywardOptions } from '../keyward.ts';
import type { OnUnavailable } from '../validation/validator.ts';

export interface LocalOptions extends Omit<KeywardOptions, 'onUnavailable'> {
  /**
   * The result of a validation while Keyward is unavailable, as for `Keyward`. `'serve-known'`: cached keys are decided
   * from the last known state for at most `staleSeconds`, keys with limits or credits only while their leases last. Other
   * keys are denied. A key that is revoked in this time is still accepted.
   */
  readonly onUnavailable?: OnUnavailable | 'serve-known' | undefined;
  /** How long `'serve-known'` serves: 1 to 86,400. Default: 60. */
  readonly staleSeconds?: number | undefined;
  /**
   * Maximum number of cached keys, about 1 KB each. When it is reached, the keys that were cached first
   * are evicted, also if they are in use. Default: 200,000.
   */
  readonly maxKeys?: number;
  /** How often usage is reported; a crash loses the usage since the last report. Default: 1,000. */
  readonly reportEveryMs?: number;
  /**
   * Called with the reason, at most once a minute, when the stream of changes cannot be opened and
   * every key is therefore validated over HTTP. Default: `console.error`.
   */
  readonly log?: Log | undefined;
}

const STALE_SECONDS = 60;
const STALE_SECONDS_MAX = 86_400;

/** How long cached keys are served while the server is unavailable; null: not at all. */
export function staleMsOf({
  onUnavailable,
  staleSeconds = STALE_SECONDS,
}: LocalOptions): number | null {
  if (!(staleSeconds >= 1 && staleSeconds <= STALE_SECONDS_MAX))
    throw new TypeError(
      `Keyward: \`staleSeconds\` must be a number from 1 to ${STALE_SECONDS_MAX}.`,
    );
  return onUnavailable === 'serve-known' ? staleSeconds * 1000 : null;
}
