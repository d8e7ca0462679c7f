import type { Static, TObject, TSchema } from 'typebox';
import type { Actor } from './actor.ts';
import type { PortalAction, Scope } from './authority.ts';
import type { ErrorCode } from './errors.ts';

export const MERGE_PATCH = 'application/merge-patch+json';

export const isMergePatch = ({ 'content-type': type }: Call['headers']): boolean =>
  typeof type === 'string' && type.toLowerCase().split(';')[0]!.trim() === MERGE_PATCH;

/**
 * The description of an endpoint, independent of HTTP. From it http/ mounts the route and generates
 * OpenAPI, and the tests generate the access matrix.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With `:name` for parameters. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Shown in the API reference. Needed if the request has any part. */
  readonly example?: Example;
  /** `public` needs no credential; `person` needs a session, with any role; `portal` a portal session. */
  readonly access: Scope | 'public' | 'person' | 'portal';
  /** With `portal`: what the session must allow. Without it, any session will do. */
  readonly portalAction?: PortalAction;
  /** For people, the request concerns no particular account and needs no role. */
  readonly personal?: boolean;
  /** Uses cookies, but needs no credential. A request that does not come from our own pages is rejected. */
  readonly fromPages?: boolean;
  /** A credential header that takes precedence over the others, which may belong to a third party. */
  readonly credentialHeader?: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Shown in OpenAPI instead of `body`, if the route itself checks the contents. */
  readonly describedBody?: TSchema;
  /** The body as `application/merge-patch+json`, if it may then omit more. Shown in OpenAPI. */
  readonly mergePatch?: TSchema;
  /** Replaces the default limit of a body. */
  readonly bodyBytesMax?: number;
  /** Passes the body to `handle` unparsed, so that it can check the signature first. */
  readonly rawBody?: RawBody;
  readonly reply: TSchema;
  /** Status of a successful response. With 302, `handle` returns a RawResponse that redirects. */
  readonly status: 200 | 201 | 302;
  /** A list: `reply` is the schema of an item, and `handle` returns a Listing. */
  readonly list?: boolean;
  /** Additional headers of a successful response: name and description. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** The columns of a list that is also available as CSV, in order. */
  readonly csv?: readonly string[];
  /** Creates something, and supports Idempotency-Key. */
  readonly creates?: boolean;
  /** Updates one resource that has `updatedAt`, and supports If-Match. */
  readonly updates?: boolean;
  /** Not subject to the management rate limit. */
  readonly unmetered?: boolean;
  /** Responds with server-sent events; `handle` returns Streamed. */
  readonly stream?: boolean;
  /** Error codes in addition to those of every route. */
  readonly errors?: readonly ErrorCode[];
  /** Codes whose status the caller can choose, with all possible statuses; the default of this route first. */
  readonly statuses?: Readonly<Partial<Record<ErrorCode, readonly number[]>>>;
  handle(call: Call): Promise<unknown>;
}

/**
 * A request that succeeds if the examples before it, in the order of the API reference, have succeeded. Texts may be
 * `$NAMES` of environment variables.
 */
export interface Example<P = object, Q = object, B = unknown> {
  readonly params?: P;
  readonly query?: Partial<Q>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: B;
  /** A command that the example needs, for a shell. */
  readonly first?: string;
  /** The variable that gets the first field of this name in the response: `['PLAN_ID', 'id']`. */
  readonly keeps?: readonly [variable: string, field: string];
  /** What nobody can paste. Such examples are not run. */
  readonly needs?: string;
  /** Shown instead of a recorded response. */
  readonly response?: unknown;
}

/** Rules for bodies of requests without a credential, which only their signature proves. */
export interface RawBody {
  /** Throws if the headers alone show that the request will be refused. */
  checkHeaders(headers: Call['headers']): Promise<void>;
  /** Large bodies that are read at a time, and bodies that are handled at a time; further requests wait. */
  readonly atOnce: number;
  /** The time in which a body must arrive. */
  readonly msMax: number;
}

/** A request whose parts have been checked against the schemas of the route, and its caller. */
export interface Call<P = unknown, Q = unknown, B = unknown> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Set for routes with `rawBody`. */
  readonly rawBody?: Buffer;
  readonly actor: Actor;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The address at the other end of the connection: that of a proxy, if there is one. */
  readonly peer?: string | undefined;
  /** Set if the request has an Idempotency-Key. */
  readonly idempotency?: { route: string; key: string; requestHash: string };
  /** Whether the client has disconnected. */
  readonly isGone?: () => boolean;
}

/** A list, read in slices as it is sent. A page ends after `limit` items, a whole list (undefined) after its last. */
export interface Listing<Item> {
  readonly limit: number | undefined;
  /** At least one item more than `limit`, if there are as many. */
  readonly slices: AsyncIterable<Slice<Item>>;
  /** Additional response headers, flat: name, value, name, value. */
  readonly headers?: readonly string[];
  /** The form of the response, whatever the request accepts. */
  readonly mediaType?: string;
  /** Columns of the CSV form after those of the route. */
  readonly moreColumns?: readonly string[];
}

/** Consecutive items of a list. */
export interface Slice<Item> {
  readonly length: number;
  item(n: number): Item;
  /** The cursor of what follows an item. */
  cursorAfter(n: number): string;
  /** If set, the page ends after this slice, however few items it has; the next page has this cursor. */
  readonly endsPageAt?: string;
}

/** A complete response, with its own headers and body. */
export interface RouteResponse {
  readonly status: number;
  /** Flat: name, value, name, value. */
  readonly headers: readonly string[];
  readonly body: string;
  /** `latin1` for a body in ASCII: the same bytes, written at half the cost. */
  readonly encoding?: 'latin1' | 'utf8';
  /** Called once when the response has been sent or its connection is closed. */
  readonly onDone?: () => void;
}

/** Returned by `handle` to send a RouteResponse unchanged. */
export class RawResponse {
  readonly response: RouteResponse;
  constructor(response: RouteResponse) {
    this.response = response;
  }
}

/** The output of a stream. */
export interface StreamSink {
  write(text: string): void;
  /** Writes the last text. A client that does not read it is disconnected soon. */
  end(text: string): void;
  destroy(): void;
  onClose(listener: () => void): void;
  /** Bytes written that the client has not yet received. */
  readonly unreadBytes: number;
}

/** Returned by `handle` to respond with server-sent events. */
export class Streamed {
  readonly start: (sink: StreamSink) => void;
  constructor(start: (sink: StreamSink) => void) {
    this.start = start;
  }
}

type StaticOr<S, Else> = S extends TSchema ? Static<S> : Else;

/** Describes an endpoint; `handle` gets the types of the schemas. */
export function defineRoute<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  route: Omit<Route, 'params' | 'query' | 'body' | 'example' | 'handle'> & {
    readonly params?: P;
    readonly query?: Q;
    readonly body?: B;
    readonly example?: Example<
      StaticOr<P, undefined>,
      StaticOr<Q, undefined>,
      StaticOr<B, undefined>
    >;
    handle(
      call: Call<StaticOr<P, undefined>, StaticOr<Q, undefined>, StaticOr<B, undefined>>,
    ): Promise<unknown>;
  },
): Route {
  return route as unknown as Route;
}
