/** A key that Keyward knows, as a validation answers it. `key` is masked. */
export interface ValidatedKey {
  readonly id: string;
  readonly projectId: string;
  readonly key: string;
  readonly name: string;
  readonly customMetaData: Readonly<Record<string, unknown>>;
  readonly customAccountId: string | null;
  readonly customUserId: string | null;
  readonly env: 'live' | 'test';
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly isActive: boolean;
  readonly expiresAt: string | null;
  readonly rateLimitConfigs: { readonly rateLimit: number; readonly rateLimitTtl: number } | null;
  readonly creationContext: { readonly clientIP?: string; readonly clientUserAgent?: string };
  readonly allowedDomains: readonly string[] | null;
}

/** What the server answered instead of a record. `code` is stable; see docs/errors. */
export class KeywardError extends Error {
  readonly statusCode: number;
  readonly code: string;
  readonly requestId: string;

  constructor(body: { statusCode: number; message: string; code: string; requestId: string }) {
    super(body.message);
    this.name = 'KeywardError';
    this.statusCode = body.statusCode;
    this.code = body.code;
    this.requestId = body.requestId;
  }
}

export interface KeywardOptions {
  /** Where the server is, for example `https://keys.example.com`. */
  readonly url: string;
  readonly accessKey: string;
}

/**
 * ```ts
 * const keyward = new Keyward({ url, accessKey });
 * const record = await keyward.validate(value); // throws KeywardError when it is refused
 * ```
 */
export class Keyward {
  readonly #url: string;
  readonly #accessKey: string;

  constructor(options: KeywardOptions) {
    this.#url = options.url.replace(/\/+$/, '');
    this.#accessKey = options.accessKey;
  }

  /** The key travels in the body: it never shows in an address, nor in a log on the way. */
  async validate(key: string, options: { signal?: AbortSignal } = {}): Promise<ValidatedKey> {
    const response = await fetch(`${this.#url}/api-keys/auth`, {
      method: 'POST',
      headers: { 'x-api-key': this.#accessKey, 'content-type': 'application/json' },
      body: JSON.stringify({ key }),
      signal: options.signal ?? null,
    });
    const body = await response.json();
    if (!response.ok) throw new KeywardError(body);
    return body;
  }
}
