import type { Log } from '../http/problem-log.ts';
import type { KeywardOptions } from '../keyward.ts';

export interface LocalOptions extends KeywardOptions {
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
