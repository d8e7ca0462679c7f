import Type from 'typebox';
import { defineRoute, type Route } from '../../../kernel/route.ts';
import { strict } from '../../../kernel/schemas.ts';
import { ValidatedKey } from '../../api-keys/index.ts';
import { answerOne, VALIDATION_ERRORS, type ValidationParts } from '../validate-one.ts';

const validates = (parts: ValidationParts, route: Pick<Route, 'method' | 'operationId' | 'tag'>) =>
  defineRoute({
    ...route,
    path: '/api-keys/auth/:key',
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

export const validateInPath = (parts: ValidationParts) =>
  validates(parts, { method: 'POST', operationId: 'validateApiKey', tag: 'auth_api_v1' });

/** Some published samples of the interface use GET. It counts and consumes like POST. */
export const validateByGet = (parts: ValidationParts) =>
  validates(parts, { method: 'GET', operationId: 'validateApiKeyByGet', tag: 'api-keys' });
