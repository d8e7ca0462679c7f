import { systemClock } from '../kernel/clock.ts';
import { printable } from './cell.ts';
import { Refusal } from './failure.ts';
import { type Credential, credentialHeaders } from './operator.ts';
import type { Row } from './table.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface Request {
  readonly query?: Query;
  readonly body?: unknown;
  /** The body where it is already written out. */
  readonly json?: string;
  readonly headers?: Record<string, string>;
}

interface Answer {
  readonly headers: Headers;
  readonly body: unknown;
}

export interface Page {
  readonly rows: readonly Row[];
  /** Where the next page begins. */
  readonly next: string | null;
}

const TIMEOUT_MS = 30_000;
const PAGE_SIZE_MAX = 1000;

/** The running server, as the commands see it. */
export class Api {
  readonly #base: string;
  readonly #credential: Credential;

  constructor(base: string, credential: Credential) {
    this.#base = base;
    this.#credential = credential;
  }

  async record(method: string, path: string, request?: Request): Promise<Row> {
    return (await this.call(method, path, request)).body as Row;
  }

  async call(method: string, path: string, request: Request = {}): Promise<Answer> {
    const pathWithQuery = path + searchOf(request.query ?? {});
    const response = await this.#send(method, pathWithQuery, request);
    const body = await this.#read(response);
    if (response.ok) return { headers: response.headers, body };
    throw refusalOf(response, body);
  }

  /** Every page when `limit` is left out, else one. */
  async *pages(path: string, query: Query, limit: number | undefined): AsyncGenerator<Page> {
    let cursor: string | undefined;
    do {
      const paged = { ...query, limit: limit ?? PAGE_SIZE_MAX, ...(cursor && { cursor }) };
      const { headers, body } = await this.call('GET', path, { query: paged });
      const next = nextCursor(headers.get('link'));
      yield { rows: body as Row[], next };
      cursor = next ?? undefined;
    } while (limit === undefined && cursor !== undefined);
  }

  async #send(method: string, pathWithQuery: string, request: Request): Promise<Response> {
    const body = request.json ?? (request.body === undefined ? '' : JSON.stringify(request.body));
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...credentialHeaders(this.#credential, method, pathWithQuery, body, systemClock()),
      ...request.headers,
    };
    const init: RequestInit = {
      method,
      headers,
      // A credential goes where it was meant to go and nowhere else.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    };
    if (body !== '') {
      headers['content-type'] = 'application/json';
      init.body = body;
    }
    try {
      return await fetch(this.#base + pathWithQuery, init);
    } catch (error) {
      throw new Error(this.#unreachable(error), { cause: error });
    }
  }

  async #read(response: Response): Promise<unknown> {
    try {
      return await response.json();
    } catch {
      throw new Error(
        `what answers at ${this.#base} with status ${response.status} does not speak JSON. Is it Keyward?`,
      );
    }
  }

  #unreachable(error: unknown): string {
    const { name, message, cause } = error as Error & { cause?: Error & { code?: string } };
    if (name === 'TimeoutError')
      return `${this.#base} has not answered within ${TIMEOUT_MS / 1000} s.`;
    if (cause?.code === 'ECONNREFUSED')
      return `nothing answers at ${this.#base}. Is the server running? Start it with: npm start`;
    return `${this.#base} cannot be reached: ${cause?.code ?? cause?.message ?? message}.`;
  }
}

function searchOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search}`;
}

function refusalOf({ status, headers }: Response, body: unknown): Refusal {
  const { message, code, requestId } = (body ?? {}) as Record<string, unknown>;
  return new Refusal({
    status,
    code: typeof code === 'string' ? printable(code) : `status ${status}`,
    message: typeof message === 'string' ? printable(message) : 'the server refused',
    requestId: typeof requestId === 'string' ? printable(requestId) : null,
    retryAfterSeconds: secondsOf(headers.get('retry-after')),
    body,
  });
}

const secondsOf = (text: string | null): number | null =>
  text !== null && /^\d{1,4}$/.test(text) ? Number(text) : null;

/** From `Link: <…?cursor=…>; rel="next"`. Only the cursor is taken: where to ask is ours to say. */
export function nextCursor(link: string | null): string | null {
  const target = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1];
  return target === undefined
    ? null
    : new URL(target, 'http://localhost').searchParams.get('cursor');
}
