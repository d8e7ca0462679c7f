import type { FastifyBaseLogger } from 'fastify';
import type { CachedAccessKey, Keyring } from '../../features/access-keys/index.ts';
import { type Validator, validateBatch } from '../../features/validation/index.ts';
import type { WriteErrorBody } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { isSampled } from '../../kernel/tracing.ts';
import { toKeywardError } from '../responses/errors.ts';
import type { ValidationBackend } from './validation-handler.ts';

interface Parts {
  readonly keyring: Keyring;
  readonly validator: Validator;
  readonly isUpToDate: (now: number) => boolean;
  readonly errorBody: WriteErrorBody;
  readonly clock: Clock;
  /** Whether traces are recorded. */
  readonly traces: boolean;
  readonly log: FastifyBaseLogger;
}

/** Decides validations with the keys and access keys that the server caches. */
export const serverBackend = ({
  keyring,
  validator,
  isUpToDate,
  errorBody,
  clock,
  traces,
  log,
}: Parts): ValidationBackend<CachedAccessKey> => ({
  mayHandle: ({ traceparent }, now) => !(traces && isSampled(traceparent)) && isUpToDate(now),
  callerOf(credential) {
    const accessKey = keyring.cached(credential);
    if (accessKey === undefined) return undefined;
    return accessKey.mayValidate && accessKey.refusal(clock()) === null ? accessKey : null;
  },
  loadCaller: async (credential, address) => (await keyring.find(credential, address)) !== null,
  holderOf: ({ accountId }) => accountId,
  validate: (accessKey, value, conditions) => validator.validate(accessKey, value, conditions),
  validateBatch: (accessKey, values, conditions) =>
    validateBatch({ validator, clock }, accessKey, { values, conditions }),
  fail(error, requestId) {
    validator.outcomes.failed++;
    const { code, status, headers, message } = toKeywardError(error, log.child({ requestId }));
    const body = JSON.stringify(errorBody(code, requestId, message));
    const own = ['content-type', 'application/json; charset=utf-8'];
    own.push('content-length', String(Buffer.byteLength(body)), ...headers);
    return { status, headers: own, body };
  },
});
