import type { Static, TObject, TSchema } from 'typebox';
import type { Actor } from './actor.ts';
import type { Scope } from './authority.ts';
import type { ErrorCode } from './errors.ts';

/**
 * One endpoint, told apart from any transport: http/ mounts it, OpenAPI describes it and the access
 * matrix is generated from it, all from this one description.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With `:name` for parameters. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** `public` needs no credential; `person` needs a session, whatever the role. */
  readonly access: Scope | 'public' | 'person';
  /** For a person it is about themself and not about one account: no role is asked. */
  readonly personal?: boolean;
  /** Takes or sets cookies without a credential: refused unless it comes from our own pages. */
  readonly fromPages?: boolean;
  /** A header that may carry the credential ahead of all others, where those may be a third party's. */
  readonly credentialHeader?: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** What OpenAPI shows in place of `body`, where the route itself checks what the body holds. */
  readonly describedBody?: TSchema;
  /** Where the usual limit of a body is too narrow. */
  readonly bodyBytesMax?: number;
  readonly reply: TSchema;
  readonly status: 200 | 201;
  /** A list: `reply` is what one item looks like, and `handle` answers a Listing. */
  readonly list?: boolean;
  /** A list that can also be had as CSV: its columns, in order. */
  readonly csv?: readonly string[];
  /** Creating calls honour Idempotency-Key. */
  readonly creates?: boolean;
  /** Not counted against the management limit: validation has limits of its own. */
  readonly unmetered?: boolean;
  /** Answers with server-sent events that go on for long; `handle` answers Streamed. */
  readonly stream?: boolean;
  /** Codes beyond those that every route shares. */
  readonly errors?: readonly ErrorCode[];
  /** Where it may answer a code with other statuses than the catalogue's; the usual one first. */
  readonly statuses?: Readonly<Partial<Record<ErrorCode, readonly number[]>>>;
  handle(call: Call): Promise<unknown>;
}

/** What a route gets: everything checked against its schemas, and who asks. */
export interface Call<P = unknown, Q = unknown, B = unknown> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly actor: Actor;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Present when a creating call carries an Idempotency-Key. */
  readonly idempotency?: { route: string; key: string; requestHash: string };
  /** Whether whoever called has hung up: for work that nobody would hear of. */
  readonly isGone?: () => boolean;
}

/** A whole list as pages that follow one another, or one page and where the next begins. */
export type Listing<T> =
  | { readonly pages: AsyncIterable<readonly T[]> }
  | { readonly page: readonly T[]; readonly next: string | null };

/** An answer that is already written out: validation has its own bodies and headers. */
export interface Answer {
  readonly status: number;
  /** Flat: name, value, name, value. */
  readonly headers: readonly string[];
  readonly body: string;
  /** `latin1` for a body that is all ASCII: the same bytes, written out at half the cost. */
  readonly encoding?: 'latin1' | 'utf8';
  /** Called once when the response has left this process or its connection is gone. */
  readonly onDone?: () => void;
}

/** What `handle` returns to send an Answer as it is. */
export class Written {
  readonly answer: Answer;
  constructor(answer: Answer) {
    this.answer = answer;
  }
}

/** Where a stream is written to. */
export interface StreamSink {
  write(text: string): void;
  /** The last that is written; whoever does not read it is cut off soon. */
  end(text: string): void;
  destroy(): void;
  onClose(listener: () => void): void;
  /** Written and not yet taken by the client. */
  readonly unreadBytes: number;
}

/** What `handle` returns to answer with server-sent events. */
export class Streamed {
  readonly start: (sink: StreamSink) => void;
  constructor(start: (sink: StreamSink) => void) {
    this.start = start;
  }
}

type StaticOr<S, Else> = S extends TSchema ? Static<S> : Else;

/** Gives `handle` the types that the schemas say. */
export function defineRoute<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  route: Omit<Route, 'params' | 'query' | 'body' | 'handle'> & {
    readonly params?: P;
    readonly query?: Q;
    readonly body?: B;
    handle(
      call: Call<StaticOr<P, undefined>, StaticOr<Q, undefined>, StaticOr<B, undefined>>,
    ): Promise<unknown>;
  },
): Route {
  return route as unknown as Route;
}
