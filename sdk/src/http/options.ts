/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of the call, including retries and the waits between them. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries. */
  readonly retries?: number | undefined;
  /** For calls that create something. Default: a random key per call. */
  readonly idempotencyKey?: string | undefined;
  /**
   * For updates: the `updatedAt` of the resource when you read it. If it was changed since, the call
   * throws `edit_conflict` and changes nothing.
   */
  readonly ifUpdatedAt?: string | undefined;
}

export interface TransportOptions {
  /**
   * The server's address, for example `https://keys.example.com`. Optional in a browser: the default
   * is the server that the page was loaded from.
   */
  readonly url?: string | undefined;
  /**
   * Optional in a browser: calls then send the session cookie of the page's own origin. Elsewhere a
   * missing or empty key throws; pass `null` to send no access key on purpose.
   */
  readonly accessKey?: string | null | undefined;
  /** Timeout of a call, including retries and the waits between them. Default: 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries of a call that may be repeated. Default: 2. */
  readonly retries?: number | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** A string, as from an environment variable, would be appended to a time instead of added. */
export function checkedTimeout(option: string, ms: number): number {
  if (typeof ms === 'number' && ms > 0) return ms;
  throw new TypeError(
    `Keyward: \`${option}\` must be a number of milliseconds above 0; if it comes from an environment variable, check that the variable is set and convert it to a number.`,
  );
}

/** Deno also has a global `location`, but it is undefined unless Deno was started with one. */
const isInBrowser = (): boolean =>
  typeof (globalThis as { location?: { href?: unknown } }).location?.href === 'string';

/** The address without trailing slashes; empty in a browser for the server of the page. */
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

/** Undefined if calls send no access key. The error messages never contain the key. */
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
      'Keyward: `accessKey` contains characters that are not allowed in an access key, such as spaces or line breaks',
    );
  }
  return key;
}
