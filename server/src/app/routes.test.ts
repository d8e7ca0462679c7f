import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { createCheck } from '../kernel/json/check-value.ts';
import { describeRoutes } from './routes.ts';

const checked = describeRoutes().flatMap(({ operationId, body, describedBody, query, params }) =>
  [
    { part: 'body', as: 'json', schema: body },
    { part: 'described body', as: 'json', schema: describedBody },
    { part: 'query', as: 'text', schema: query },
    { part: 'path', as: 'text', schema: params },
  ].flatMap(({ part, as, schema }) =>
    schema === undefined ? [] : [{ name: `${part} of ${operationId}`, as, schema }],
  ),
);

describe('the request schema of a route', () => {
  const ajv = new Ajv();

  // The server compiles a schema when it is first needed, and does not check it.
  it.each(checked)('is valid and can be compiled: $name', ({ as, schema }) => {
    expect(ajv.validateSchema(schema), ajv.errorsText(ajv.errors)).toBe(true);
    expect(() => createCheck(schema, as as 'json' | 'text', 'It')({})).not.toThrow();
  });
});

it.each(describeRoutes().filter(({ query }) => query !== undefined))(
  '$method $path rejects unknown query parameters',
  ({ operationId, query }) => {
    // Sign-in providers may add parameters.
    const isOpen = operationId === 'finishProviderSignIn';
    expect((query as { additionalProperties?: boolean }).additionalProperties).toBe(
      isOpen ? undefined : false,
    );
  },
);
