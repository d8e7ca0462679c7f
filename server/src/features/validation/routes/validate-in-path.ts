import Type from 'typebox';
import { defineRoute } from '../../../kernel/route.ts';
import { strict } from '../../../kernel/schemas.ts';
import { ValidatedKey } from '../../api-keys/index.ts';
import { answerOne, VALIDATION_ERRORS, type ValidationParts } from '../validate-one.ts';

export const validateInPath = (parts: ValidationParts) =>
  defineRoute({
    method: 'POST',
    path: '/api-keys/auth/:key',
    operationId: 'validateApiKey',
    tag: 'auth_api_v1',
    summary: 'Validate an API key',
    description:
      'Takes the value of the key only, never an id. The body form keeps the key out of the URL.',
    access: 'keys:validate',
    unmetered: true,
    params: strict({ key: Type.String({ description: 'The value to validate.' }) }),
    reply: ValidatedKey,
    status: 200,
    errors: VALIDATION_ERRORS,
    handle: (call) => answerOne(parts, call, call.params.key),
  });
