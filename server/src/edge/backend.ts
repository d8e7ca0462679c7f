import type { ValidationBackend } from '../http/hot-path/index.ts';
import type { RouteResponse } from '../kernel/route.ts';
import { validateBatch } from './batch.ts';
import { Caller, type Callers } from './callers.ts';
import type { EdgeValidator } from './validator.ts';

interface Parts {
  readonly callers: Callers;
  readonly validator: EdgeValidator;
  /** Callers without an access key use the edge's. */
  readonly isTrusting: boolean;
  /** The response to a request whose handling threw an error. */
  readonly errorResponse: (error: unknown, requestId: string) => RouteResponse;
}

/** Decides validations with the `Decider` of the caller, or asks the server. */
export const edgeBackend = ({
  callers,
  validator,
  isTrusting,
  errorResponse,
}: Parts): ValidationBackend<Caller> => ({
  mayHandle: () => true,
  callerOf(accessKey) {
    if (accessKey === '') return isTrusting ? callers.own : null;
    return callers.get(accessKey);
  },
  loadCaller: async (accessKey) => (await callers.admit(accessKey)) instanceof Caller,
  // An edge does not know the accounts of its access keys, of which it serves at most 16.
  holderOf: ({ accessKey }) => accessKey,
  validate: (caller, value, conditions) => validator.validate(caller, value, conditions),
  validateBatch(caller, values, conditions) {
    const items = values.map((value) => ({ value, conditions, element: value }));
    return validateBatch(validator, caller, { items, origin: conditions.origin, common: {} });
  },
  fail(error, requestId) {
    validator.count('failed');
    return errorResponse(error, requestId);
  },
});
