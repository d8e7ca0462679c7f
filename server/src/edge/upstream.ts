import type { Agent, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { NO_SNIFFING } from '../http/responses/no-sniffing.ts';
import { ERROR_PAGES_PATH } from '../kernel/errors.ts';
import { Agent as HttpAgent, request as httpRequest } from '../kernel/node-http.ts';
import type { RouteResponse } from '../kernel/route.ts';

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The server did not respond, or responded with a 5xx or another unexpected status. */
export class UpstreamUnavailable extends Error {}

/** For this long after the server was found down, requests fail without being sent. */
const DOWN_MS = 1_000;
/** Sent by a proxy if its server does not respond. Any other status means that the server responds. */
const DOWN_STATUSES = [502, 504];

/**
 * Headers that are not passed on: they describe the connection, or are written again (`content-length`,
 * `date`, `x-content-type-options`).
 */
const DROPPED_HEADERS = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
  NO_SNIFFING[0],
]);

/**
 * The server behind an edge. Node's client is used instead of `fetch`, which changes the names of
 * headers and decodes bodies.
 *
 * up → down (no response, or 502 or 504) → probing (a second later, one request is sent) → up or down
 */
export class Upstream {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #timeoutMs: number;
  /** When a down server is tried again; null: it is up. */
  #retryAt: number | null = null;
  /** When the server was last found to be up again or down. The result of an earlier request is out of date. */
  #changedAt = Number.NEGATIVE_INFINITY;
  #publicUrl: string;
  #knowsPublicUrl = false;
  isClosed = false;
  requests = 0;
  failures = 0;

  constructor(url: string, timeoutMs: number) {
    this.#url = new URL(url);
    this.#timeoutMs = timeoutMs;
    this.#publicUrl = url;
    const options = { keepAlive: true, maxSockets: 256 };
    this.#agent =
      this.#url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** The address in the links of error messages, as the server writes it. */
  get publicUrl(): string {
    return this.#publicUrl;
  }

  /** While it is not known, error messages must come from the server. */
  get knowsPublicUrl(): boolean {
    return this.#knowsPublicUrl;
  }

  /** Learns `publicUrl` from the link in an error: a request without an access key always gets one. */
  async learnPublicUrl(): Promise<void> {
    const { body } = await this.send({ method: 'POST', path: '/api-keys/auth', headers: {} });
    const { docs } = JSON.parse(body) as { docs?: unknown };
    const end = typeof docs === 'string' ? docs.lastIndexOf(`${ERROR_PAGES_PATH}/`) : -1;
    if (end > 0) this.#publicUrl = (docs as string).slice(0, end);
    this.#knowsPublicUrl = true;
  }

  /** Throws UpstreamUnavailable. */
  async send(request: UpstreamRequest): Promise<RouteResponse> {
    if (this.#retryAt !== null) {
      if (performance.now() < this.#retryAt)
        throw new UpstreamUnavailable('The server did not respond to the last request.');
      // This request is the probe: until it has ended, all others fail at once.
      this.#retryAt = Number.POSITIVE_INFINITY;
    }
    this.requests++;
    const sentAt = performance.now();
    let response: RouteResponse | undefined;
    try {
      response = await this.#exchange(request);
      if (response.status >= 500)
        throw new Error(`The server responded with status ${response.status}.`);
      return response;
    } catch (cause) {
      this.failures++;
      throw new UpstreamUnavailable('The server is unavailable.', { cause });
    } finally {
      if (sentAt >= this.#changedAt)
        this.#record(response !== undefined && !DOWN_STATUSES.includes(response.status));
    }
  }

  #record(isUp: boolean): void {
    const now = performance.now();
    if (isUp !== (this.#retryAt === null)) this.#changedAt = now;
    this.#retryAt = isUp ? null : now + DOWN_MS;
  }

  close(): void {
    this.isClosed = true;
    this.#agent.destroy();
  }

  async #exchange({ method, path, headers, body }: UpstreamRequest): Promise<RouteResponse> {
    const send = this.#url.protocol === 'https:' ? httpsRequest : httpRequest;
    const base = this.#url.pathname.replace(/\/+$/, '');
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = send(this.#url, {
        method,
        path: base + path,
        agent: this.#agent,
        signal: AbortSignal.timeout(this.#timeoutMs),
        headers: {
          ...headers,
          ...(body !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          }),
        },
      });
      sent.on('response', resolve).on('error', reject).end(body);
    });
    const bytes = await buffer(response);
    const received = response.rawHeaders;
    const kept = received.filter(
      (_, n) => !DROPPED_HEADERS.has(received[n - (n % 2)]!.toLowerCase()),
    );
    return {
      status: response.statusCode!,
      headers: [...kept, 'content-length', String(bytes.length)],
      body: bytes.toString('utf8'),
    };
  }
}
