import { Calls } from '../../http/calls.ts';
import type { List } from '../../http/list.ts';
import { Transport } from '../../http/transport.ts';
import type {
  NewPortalKey,
  PortalApiKey,
  PortalLimits,
  PortalSession,
  PortalUsageQuery,
  PortalUsageRow,
} from './records.ts';

const TIMEOUT_MS = 15_000;

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
    return this.#calls.call('portalGetSession', {});
  }

  keys(): List<PortalApiKey> {
    return this.#calls.list('portalListApiKeys', {});
  }

  async create(body: NewPortalKey, idempotencyKey: string): Promise<PortalApiKey> {
    return this.#calls.call('portalCreateApiKey', { body }, { idempotencyKey });
  }

  async rename(id: string, name: string): Promise<PortalApiKey> {
    return this.#calls.call('portalRenameApiKey', { path: { id }, body: { name } });
  }

  async rotate(id: string, graceSeconds: number, idempotencyKey: string): Promise<PortalApiKey> {
    const input = { path: { id }, body: { graceSeconds } };
    return this.#calls.call('portalRotateApiKey', input, { idempotencyKey });
  }

  async revoke(id: string): Promise<void> {
    await this.#calls.call('portalRevokeApiKey', { path: { id } });
  }

  async usage(query: PortalUsageQuery): Promise<readonly PortalUsageRow[]> {
    return this.#calls.call('portalGetUsage', { query });
  }

  async limits(): Promise<PortalLimits> {
    return this.#calls.call('portalGetLimits', {});
  }

  /** Not created in the constructor: an invalid URL must be the error of a call, not of rendering. */
  get #calls(): Calls {
    // Relative to the page, which may pass the requests of its customers on.
    const url = new URL(this.#url || '/', globalThis.location?.href).href;
    const send = sendWithToken(this.#token);
    return new Calls(new Transport({ url, accessKey: null, timeoutMs: TIMEOUT_MS, fetch: send }));
  }
}

/** The token alone identifies the caller: no cookies, and no redirect that could pass the token on. */
const sendWithToken =
  (token: string): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(input, {
      ...init,
      headers,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    });
  };
