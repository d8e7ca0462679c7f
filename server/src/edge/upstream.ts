import type { Agent, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { type Admission, Breaker } from 'keyward/internal';
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
  /** A batch may take longer than the validation of one key. */
  readonly isBatch?: true;
}

/** The server did not respond, or responded with a 5xx or another unexpected status. */
export class UpstreamUnavailable extends Error {}

/**
 * Sent by a proxy if its server does not respond. A 503 may be about one of the callers, and must not stop the
 * requests of the others.
 */
const DOWN_STATUSES = [502, 504];

/** A batch has up to 1,000 keys. `Keyward` gives it as much longer, by default. */
const BATCH_TIMEOUT_FACTOR = 5;

/**
 * Asks whether an access key may validate. Opens a stream that ends at once: this needs the same scope as a
 * validation, and counts nothing.
 */
export const permissionRequest = (accessKey: string): UpstreamRequest => ({
  method: 'GET',
  path: '/changes?maxSeconds=0',
  headers: { 'x-api-key': accessKey },
});

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
 * headers and decodes bodies. While the server does not respond, requests fail at once, see `Breaker`.
 */
export class Upstream {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #timeoutMs: number;
  readonly #probe: UpstreamRequest;
  /** Shared with the lease requests of all callers. */
  readonly breaker = new Breaker(DOWN_STATUSES);
  #publicUrl: string;
  #knowsPublicUrl = false;
  isClosed = false;
  requests = 0;
  failures = 0;

  /** `accessKey`: the edge's own. */
  constructor(url: string, timeoutMs: number, accessKey: string) {
    this.#url = new URL(url);
    this.#probe = permissionRequest(accessKey);
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
    const admission = this.breaker.admit(performance.now());
    if (admission.decision === 'send') return this.#sendNow(admission, request);
    if (admission.decision === 'probe') this.#sendNow(admission, this.#probe).catch(() => {});
    throw new UpstreamUnavailable('The server did not respond to earlier requests.');
  }

  async #sendNow(admission: Admission, request: UpstreamRequest): Promise<RouteResponse> {
    this.requests++;
    const timeoutMs = this.#timeoutMs * (request.isBatch ? BATCH_TIMEOUT_FACTOR : 1);
    const timeout = AbortSignal.timeout(timeoutMs);
    let response: RouteResponse;
    try {
      response = await this.#exchange(request, timeout);
    } catch (cause) {
      const outcome = timeout.aborted ? 'timeout' : 'unreachable';
      this.breaker.record(admission, outcome, performance.now());
      this.failures++;
      throw new UpstreamUnavailable('The server is unavailable.', { cause });
    }
    const { status } = response;
    this.breaker.record(admission, status, performance.now());
    if (status < 500) return response;
    this.failures++;
    throw new UpstreamUnavailable(`The server responded with status ${status}.`);
  }

  close(): void {
    this.isClosed = true;
    this.#agent.destroy();
  }

  async #exchange(
    { method, path, headers, body }: UpstreamRequest,
    signal: AbortSignal,
  ): Promise<RouteResponse> {
    const send = this.#url.protocol === 'https:' ? httpsRequest : httpRequest;
    const base = this.#url.pathname.replace(/\/+$/, '');
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = send(this.#url, {
        method,
        path: base + path,
        agent: this.#agent,
        signal,
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
