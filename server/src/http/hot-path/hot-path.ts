import type { ResponseWriter } from './response-writer.ts';
import type { RequestedKeys } from './validation-body.ts';

/** A simple validation: plain values and one access key. */
export interface ValidationRequest {
  readonly credential: string;
  readonly origin: string | undefined;
  readonly traceparent: string | undefined;
  readonly keys: RequestedKeys;
}

/** `unknown-caller`: the access key is not cached. `not-handled`: left to the router. */
export type Handling = 'handled' | 'unknown-caller' | 'not-handled';

/** Handles simple validations. */
export interface HotPath {
  handle(request: ValidationRequest, writer: ResponseWriter): Handling;
  /** Loads an access key into the cache; false if there is none. `address`: of the client, or of its proxy. */
  loadCaller(credential: string, address: string | undefined): Promise<boolean>;
}
