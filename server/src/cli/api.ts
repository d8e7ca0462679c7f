import { Keyward, KeywardError, type ListId, type OperationId } from 'keyward';
import { type Credential, clientCredential } from './operator.ts';
import type { Row } from './terminal/table.ts';

/** A list is sent as one parameter per item. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** Arguments as they were typed: the server validates them. */
interface Input {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string | undefined;
}

export interface Page {
  readonly rows: readonly Row[];
  /** Cursor of the next page. */
  readonly next: string | null;
  /** Number of rows that match but were never stored. */
  readonly omitted: number;
}

const TIMEOUT_MS = 30_000;
const PAGE_SIZE_MAX = 1000;

/** Calls the running server through the SDK, and explains failures to a person at a terminal. */
export class Api {
  readonly url: string;
  readonly #client: Keyward;

  constructor(url: string, credential: Credential) {
    this.url = url;
    // Without retries, so that a person sees errors immediately.
    this.#client = new Keyward({
      url,
      ...clientCredential(credential, url),
      timeoutMs: TIMEOUT_MS,
      retries: 0,
    });
  }

  /** Calls an operation by its `operationId` in docs/openapi.json. */
  async call<T = Row>(operation: OperationId, input: Input = {}): Promise<T> {
    return (await this.request(operation, input)).body as T;
  }

  async request(operation: OperationId, { idempotencyKey, ...input }: Input) {
    try {
      return await this.#client.request(operation, input as never, { idempotencyKey });
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** All pages if `limit` is undefined, otherwise the first rows as one. */
  async *pages(operation: ListId, input: Input, limit: number | undefined): AsyncGenerator<Page> {
    const query = { ...input.query, limit: limit ?? PAGE_SIZE_MAX };
    const list = this.#client.list(operation, { ...input, query } as never);
    const pages = limit === undefined ? list.pages() : [list.take(limit)];
    try {
      for await (const { items, nextCursor, headers } of pages)
        yield {
          rows: items as unknown as Row[],
          next: nextCursor,
          omitted: Number(headers.get('keyward-omitted') ?? 0),
        };
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** Errors of the server are returned unchanged. */
  #explained(error: unknown): unknown {
    if (!(error instanceof KeywardError)) return error;
    const explain = (message: string) => new Error(message, { cause: error });
    if (error.code === 'timeout')
      return explain(`${this.url} did not respond within ${TIMEOUT_MS / 1000} s.`);
    if (error.code === 'unexpected_response')
      return explain(
        `${this.url} responded with status ${error.statusCode}, but not in the format of the API. Is it Keyward? Check --url or KEYWARD_URL.`,
      );
    if (error.code !== 'unreachable') return error;
    const { message, cause } = error.cause as Error & { cause?: Error & { code?: string } };
    return explain(
      cause?.code === 'ECONNREFUSED'
        ? `no server is listening at ${this.url}. Start it with \`npx keyward serve\`, or check --url and KEYWARD_URL.`
        : `${this.url} cannot be reached: ${cause?.code ?? cause?.message ?? message}.`,
    );
  }
}
