import Type from 'typebox';
import { KeywardError } from '../../../kernel/errors.ts';
import { defineRoute, Written } from '../../../kernel/route.ts';
import { strict } from '../../../kernel/schemas.ts';
import { ValidatedKey } from '../../api-keys/index.ts';
import { BatchResult, batchResult } from '../batch.ts';
import {
  answerOne,
  askerOf,
  originOf,
  VALIDATION_ERRORS,
  type ValidationParts,
} from '../validate-one.ts';

const Value = Type.String({ maxLength: 4096, description: 'The value to validate.' });

const Body = strict(
  {
    key: Type.Optional(Value),
    keys: Type.Optional(Type.Array(Value, { minItems: 1, maxItems: 1000 })),
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
      'With `key` it answers as the path form does. With `keys` it answers 200 and an array, in the order asked, of what each one would have got.',
    access: 'keys:validate',
    unmetered: true,
    body: Body,
    reply: Type.Union([ValidatedKey, Type.Array(BatchResult)]),
    status: 200,
    errors: VALIDATION_ERRORS,
    async handle(call) {
      const { key, keys } = call.body;
      if ((key === undefined) === (keys === undefined))
        throw new KeywardError('invalid_body', 'Send either key or keys.');
      if (keys === undefined) return answerOne(parts, call, key!);
      const origin = originOf(call);
      const results: string[] = [];
      for (const value of keys) {
        const verdict = parts.validator.validate(askerOf(call.actor), value, origin);
        results.push(batchResult(await verdict, parts.clock()));
      }
      return new Written({
        status: 200,
        headers: ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'],
        body: `[${results.join(',')}]`,
      });
    },
  });
