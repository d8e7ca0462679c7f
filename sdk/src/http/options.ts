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
   * The server's address, for example `https://keys.example.com`. May be left out in a browser:
   * the default is the server that the page came from.
   */
  readonly url?: string | undefined;
  /**
   * May be left out in a browser: calls then carry the session cookie of the page's own origin.
   * Elsewhere a missing or empty key throws; `null` says that calls carry no access key on purpose.
   */
  readonly accessKey?: string | null | undefined;
  /** The longest that a call may take, retries and waits included. Default: 5,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a call that may be repeated is tried again. Default: 2. */
  readonly retries?: number | undefined;
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** Deno has the name `location` too, but no value unless it was started with one. */
const isInBrowser = (): boolean =>
  typeof (globalThis as { location?: { href?: unknown } }).location?.href === 'string';

/** The address without a slash at its end; empty in a browser for the server of the page. */
export function baseOf({ url }: TransportOptions): string {
  if (url === undefined || url === '') {
    if (isInBrowser()) return '';
    throw new TypeError(
      'Keyward: `url` is missing. Pass the address of your Keyward server, for example https://keys.example.com; if it comes from an environment variable, check that the variable is set.',
    );
  }
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(url)) {
    throw new TypeError(
      'Keyward: `url` must be an http or https address without user, query or fragment',
    );
  }
  return url.replace(/\/+$/, '');
}

/** Undefined where calls carry none. The messages never contain the key. */
export function accessKeyOf({ accessKey }: TransportOptions): string | undefined {
  if (accessKey === null) return undefined;
  const key = accessKey?.trim() ?? '';
  if (key === '') {
    if (isInBrowser()) return undefined;
    throw new TypeError(
      'Keyward: `accessKey` is missing. Create an access key in the dashboard (the scope keys:validate is enough to validate) and pass it; if it comes from an environment variable, check that the variable is set.',
    );
  }
  // `fetch` would refuse the header with a message that quotes the key.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new TypeError(
      'Keyward: `accessKey` contains characters that no access key has, such as blanks or line breaks',
    );
  }
  return key;
}
