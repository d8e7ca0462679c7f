import type { FastifySchema } from 'fastify';
import { describe, expect, it } from 'vitest';
import { compileSchema } from './schema-check.ts';

const check = (httpPart: 'body' | 'querystring', schema: FastifySchema['body'], value: unknown) => {
  const compile = compileSchema as unknown as (route: object) => (value: unknown) => unknown;
  const result = compile({ schema, httpPart })(value);
  return result === true ? true : (result as { error: Error & { code: string } }).error;
};

const limit = {
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 1000 } },
};

describe('a number in a query', () => {
  it.each(['1', '1000', '1e2'])('%s is read', (text) => {
    expect(check('querystring', limit, { limit: text })).toBe(true);
  });

  it.each(['0', '1001', '-1', '1.5', 'ten', 'Infinity', '1e309', '-1e309', 'NaN'])(
    '%s is rejected with an error that names the parameter',
    (text) => {
      expect(check('querystring', limit, { limit: text })).toMatchObject({
        code: 'invalid_query',
        message: expect.stringMatching(/^limit must be /),
      });
    },
  );
});

describe('a flag in a query', () => {
  const flag = { type: 'object', properties: { isActive: { type: 'boolean' } } };

  it.each(['true', 'True', 'TRUE', 'false', 'False'])('%s is read', (text) => {
    const query = { isActive: text };
    expect(check('querystring', flag, query)).toBe(true);
    expect(query.isActive).toBe(text.toLowerCase() === 'true');
  });

  it.each(['1x', 'yes', 'truee', ''])('%j is rejected', (text) => {
    expect(check('querystring', flag, { isActive: text })).toMatchObject({ code: 'invalid_query' });
  });
});

describe('an unknown field or parameter', () => {
  const schema = (names: string[]) => ({
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(names.map((name) => [name, {}])),
  });

  it('is named in the error, with the most similar known name', () => {
    expect(check('body', schema(['name', 'expiry']), { expiresAt: 1 })).toMatchObject({
      message: 'The body has the unknown field "expiresAt". Did you mean "expiry"?',
    });
    expect(check('querystring', schema(['projectId']), { projctId: '' })).toMatchObject({
      code: 'invalid_query',
      message: 'The query has the unknown parameter "projctId". Did you mean "projectId"?',
    });
    expect(check('querystring', schema([]), { colour: '' })).toMatchObject({
      message: 'The query has the unknown parameter "colour".',
    });
  });
});

describe('a body', () => {
  it('with a wrong choice is rejected with all valid values', () => {
    const choice = (...values: string[]) => ({
      type: 'object',
      properties: { onLeak: { anyOf: values.map((value) => ({ const: value })) } },
    });
    const wrong = { onLeak: 'erase' };
    expect(check('body', choice('notify', 'revoke'), wrong)).toMatchObject({
      message: 'onLeak must be one of notify, revoke.',
    });
    expect(check('body', choice('notify'), wrong)).toMatchObject({
      message: 'onLeak must be notify.',
    });
  });

  it('is not coerced to another type', () => {
    expect(check('body', limit, { limit: 5 })).toBe(true);
    expect(check('body', limit, { limit: '5' })).toMatchObject({
      code: 'invalid_body',
      message: 'limit must be an integer.',
    });
  });
});
