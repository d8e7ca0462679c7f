import { KeywardError, KeywardUnavailable, noResponse } from '../../http/errors.ts';
import type {
  NewPortalKey,
  PortalApiKey,
  PortalLimits,
  PortalSession,
  PortalUsageQuery,
  PortalUsageRow,
} from './records.ts';

interface PortalRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: object;
  readonly idempotencyKey?: string;
}

interface PortalResponse<T> {
  readonly body: T;
  readonly headers: Headers;
}

/** A page of a list. `next` is the cursor of the page after it; null on the last one. */
export interface KeyPage {
  readonly items: readonly PortalApiKey[];
  readonly next: string | null;
}

const PAGE_SIZE = 100;

/** Accepts the URL of Keyward, or the `url` of a portal session. */
export const serverUrl = (url: string): string =>
  url.replace(/[#?].*$/, '').replace(/\/(portal\/[^/]*\/?)?$/, '');

/** Calls `/portal/*` with the token of a portal session, from a browser. */
export class PortalClient {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = serverUrl(url);
    this.#token = token;
  }

  async session(): Promise<PortalSession> {
    return (await this.#request<PortalSession>('/session')).body;
  }

  async keys(cursor: string | null): Promise<KeyPage> {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(cursor && { cursor }) });
    const { body, headers } = await this.#request<PortalApiKey[]>(`/api-keys?${query}`);
    const next = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    return { items: body, next: next === undefined ? null : decodeURIComponent(next) };
  }

  async create(body: NewPortalKey, idempotencyKey: string): Promise<PortalApiKey> {
    const request = { method: 'POST', body, idempotencyKey } as const;
    return (await this.#request<PortalApiKey>('/api-keys', request)).body;
  }

  async rename(id: string, name: string): Promise<PortalApiKey> {
    const request = { method: 'PATCH', body: { name } } as const;
    return (await this.#request<PortalApiKey>(keyPath(id), request)).body;
  }

  async rotate(id: string, graceSeconds: number, idempotencyKey: string): Promise<PortalApiKey> {
    const request = { method: 'POST', body: { graceSeconds }, idempotencyKey } as const;
    return (await this.#request<PortalApiKey>(`${keyPath(id)}/rotate`, request)).body;
  }

  async revoke(id: string): Promise<void> {
    await this.#request(keyPath(id), { method: 'DELETE' });
  }

  async usage(query: PortalUsageQuery): Promise<readonly PortalUsageRow[]> {
    return (await this.#request<PortalUsageRow[]>(`/usage?${new URLSearchParams({ ...query })}`))
      .body;
  }

  async limits(): Promise<PortalLimits> {
    return (await this.#request<PortalLimits>('/limits')).body;
  }

  async #request<T>(
    path: string,
    { method = 'GET', body, idempotencyKey }: PortalRequest = {},
  ): Promise<PortalResponse<T>> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${this.#url}/portal${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        },
        ...(body && { body: JSON.stringify(body) }),
        cache: 'no-store',
        // The token alone identifies the caller: no cookies, and no redirect that could pass the token on.
        credentials: 'omit',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
      });
      text = await response.text();
    } catch (cause) {
      throw noResponse('unreachable', 'Keyward could not be reached.', cause);
    }
    const parsed = parseJson(text);
    if (response.ok && parsed !== undefined)
      return { body: parsed as T, headers: response.headers };
    throw failedResponse(response, parsed);
  }
}

const keyPath = (id: string) => `/api-keys/${encodeURIComponent(id)}`;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failedResponse({ status, headers }: Response, body: unknown): KeywardError {
  const error = (body ?? {}) as { code?: string; message?: string; requestId?: string };
  const retryAfter = Number.parseInt(headers.get('retry-after') ?? '', 10);
  const details = {
    code: error.code ?? 'unexpected_response',
    message: error.message ?? `Keyward responded with status ${status}.`,
    statusCode: status,
    requestId: error.requestId ?? null,
    retryAfterSeconds: Number.isNaN(retryAfter) ? null : retryAfter,
    body,
  };
  return status >= 500 ? new KeywardUnavailable(details) : new KeywardError(details);
}
