import Type from 'typebox';
import { defineRoute } from '../../../kernel/route.ts';
import { ValidatedKey } from '../../api-keys/index.ts';
import { answerOne, VALIDATION_ERRORS, type ValidationParts } from '../validate-one.ts';

/** Old clients send times and whatever else beside the key, so that this one body is open. */
const Body = Type.Object(
  { credentials: Type.Object({ api_key: Type.String({ maxLength: 4096 }) }) },
  { title: 'AuthenticateOldForm' },
);

export const authenticate = (parts: ValidationParts) =>
  defineRoute({
    method: 'POST',
    path: '/auth/authenticate',
    operationId: 'authenticateApiKey',
    tag: 'api-keys',
    summary: 'Validate an API key, in the form of old clients',
    access: 'keys:validate',
    unmetered: true,
    body: Body,
    reply: ValidatedKey,
    status: 200,
    errors: VALIDATION_ERRORS,
    handle: (call) => answerOne(parts, call, call.body.credentials.api_key),
  });
