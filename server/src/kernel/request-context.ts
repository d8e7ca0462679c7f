import { AsyncLocalStorage } from 'node:async_hooks';

/** What the work of one request has in common, however deep in the services it runs. */
export interface RequestContext {
  /** Whose share of the database the reads of this request use; empty for callers without a credential. */
  readonly reader: string;
  /** Aborted when the client has disconnected. Work in several steps checks it between them. */
  readonly signal: AbortSignal;
  /**
   * Monotonic milliseconds of the first read of the current page of a GET request: all reads of a page share
   * one deadline. Undefined for requests that change something, whose reads have a deadline each.
   */
  pageSince: PageSince | undefined;
}

type PageSince = number | 'no read yet';

const contexts = new AsyncLocalStorage<RequestContext>();

/** Runs the handler of a request. Everything it awaits or starts finds the context. */
export const runInRequest: <T>(context: RequestContext, work: () => T) => T =
  contexts.run.bind(contexts);

/** The request for which the current function runs; undefined in background work. */
export const currentRequest = (): RequestContext | undefined => contexts.getStore();

/**
 * The same function, always run in the request of the caller of `inThisRequest`. Needed for functions that
 * a stream or an emitter calls later.
 */
export const inThisRequest: <F extends (...args: never[]) => unknown>(work: F) => F =
  AsyncLocalStorage.bind as never;

/** A streamed response begins its next page, whose reads get a new deadline. */
export function beginPage(): void {
  const context = currentRequest();
  if (context?.pageSince !== undefined) context.pageSince = 'no read yet';
}
