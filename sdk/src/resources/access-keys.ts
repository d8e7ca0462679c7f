import type { Calls } from '../http/calls.ts';
import { type Crud, crud } from '../http/crud.ts';
import type { BodyOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/** Credentials for calls to Keyward, named by their value or their id (`ak_…`). */
export interface AccessKeys extends ReturnType<typeof accessKeys> {
  /** The response contains the value of the access key; it is shown only this once. */
  create: Crud<'AccessKey'>['create'];
}

export function accessKeys(calls: Calls) {
  const { delete: revoke, ...usual } = crud(calls, 'AccessKey');
  return {
    ...usual,

    revoke,

    reactivate: (key: string, options?: CallOptions) =>
      calls.call('reactivateAccessKey', { path: { key } }, options),

    /** Creates a key with a new id and value; this one becomes invalid immediately, or after `graceSeconds`. */
    rotate: (key: string, body: BodyOf<'rotateAccessKey'> = {}, options?: CallOptions) =>
      calls.call('rotateAccessKey', { path: { key }, body }, options),
  };
}
