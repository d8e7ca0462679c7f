/** What a single call may say for itself. */
export interface CallOptions {
  /** Ends the call: it is then rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The longest that the call may take, retries and waits included. */
  readonly timeoutMs?: number | undefined;
  /** How often it is tried again at most. */
  readonly retries?: number | undefined;
  /** Of creating calls; without it each call gets one of its own. */
  readonly idempotencyKey?: string | undefined;
}

export interface TransportOptions {
  /**
   * Where the server is, for example `https://keys.example.com`. In a browser it may be left out:
   * then it is the server that the page came from.
   */
  readonly url?: string | undefined;
  /** Without it, calls carry the session cookie of the page's own origin. */
  readonly accessKey?: string | undefined;
  /** The longest that a call may take, retries and waits included. Default: 5,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a call that may be repeated is tried again. Default: 2. */
  readonly retries?: number | undefined;
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}
