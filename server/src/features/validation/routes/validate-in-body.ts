import Type from 'typebox';
import { KeywardError } from '../../../kernel/errors.ts';
import { defineRoute, Written } from '../../../kernel/route.ts';
import { strict } from '../../../kernel/schemas.ts';
import { ValidatedKey } from '../../api-keys/index.ts';
import { BATCH_MAX, BatchResult, validateBatch } from '../batch.ts';
import { answerLease, LEASE_MAX, LeasedKey } from '../lease-answer.ts';
import {
  answerOne,
  callerOf,
  originOf,
  VALIDATION_ERRORS,
  type ValidationParts,
} from '../validate-one.ts';

const Value = Type.String({ maxLength: 4096, description: 'The value to validate.' });

const Body = strict(
  {
    key: Type.Optional(Value),
    keys: Type.Optional(Type.Array(Value, { minItems: 1, maxItems: BATCH_MAX })),
    lease: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LEASE_MAX,
        description:
          'With `key`: you will answer for this key yourself, and report its uses with `POST /usage`. Of a key with a limit, up to so many requests are taken from its window.',
      }),
    ),
  },
  'ValidateKeys',
);

export const validateInBody = (parts: ValidationParts) =>
  defineRoute({
    method: 'POST',
    path: '/api-keys/auth',
    operationId: 'validateApiKeys',
    tag: 'api-keys',
    summary: 'Validate one API key, or up to 1,000 at once',
    description:
      'With `key` it answers as the path form does. With `keys` it answers 200 and an array, in the order asked, of what each one would have got. A batch whose response would be larger than 16 MB is refused with 413 `batch_too_large` and counts nothing: send half as many keys. With `lease` it answers what a process needs that validates in its own memory.',
    access: 'keys:validate',
    unmetered: true,
    body: Body,
    reply: Type.Union([ValidatedKey, Type.Array(BatchResult), LeasedKey]),
    status: 200,
    errors: [...VALIDATION_ERRORS, 'batch_too_large'],
    async handle(call) {
      const { key, keys, lease } = call.body;
      if ((key === undefined) === (keys === undefined))
        throw new KeywardError('invalid_body', 'Send either key or keys.');
      if (lease !== undefined) {
        if (key === undefined) throw new KeywardError('invalid_body', 'lease goes with key only.');
        return answerLease(parts, call, key, lease);
      }
      if (keys === undefined) return answerOne(parts, call, key!);
      return new Written(await validateBatch(parts, callerOf(call.actor), keys, originOf(call)));
    },
  });
