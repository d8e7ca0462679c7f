import { describe, expect, it } from 'vitest';

/** The page's scripts are plain JavaScript, as the browser gets them; their types are not known here. */
const script = (name: string) => import(new URL(name, import.meta.url).href);
const { codesOf, errorsOf, groupsOf, matches, operationsOf, resolve, titleOf } =
  await script('openapi.js');
const { curlOf, missingIn, requestOf } = await script('request.js');
const { exampleOf, fieldRows, limitsOf, typeName } = await script('schema.js');

interface Operation {
  readonly id: string;
  readonly needsCredential: boolean;
  readonly parameters: readonly { readonly name: string }[];
  readonly responses: readonly unknown[];
}

interface Row {
  readonly path: readonly string[];
  readonly required: boolean;
}

const keyParameter = { name: 'key', in: 'path', required: true, schema: { type: 'string' } };
const document = {
  tags: [{ name: 'Keys', description: 'All about keys.' }],
  security: [{ accessKey: [] }],
  paths: {
    '/health': { get: { operationId: 'health', security: [], responses: {} } },
    '/keys/{key}': {
      parameters: [{ $ref: '#/components/parameters/key' }],
      patch: {
        operationId: 'updateKey',
        tags: ['auth_api_v1', 'Keys'],
        summary: 'Update a key',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
        responses: { 200: { description: 'Done.' }, 404: { $ref: '#/components/responses/a~1b' } },
      },
    },
  },
  components: {
    parameters: { key: keyParameter },
    responses: {
      'a/b': {
        description: 'None.',
        content: { 'application/json': { schema: { properties: { code: { enum: ['gone'] } } } } },
      },
    },
    schemas: {
      Limits: {
        type: 'object',
        required: ['most'],
        properties: { most: { type: 'integer', minimum: 1 }, name: { type: 'string' } },
      },
      Tree: { type: 'object', properties: { inner: { $ref: '#/components/schemas/Tree' } } },
      Loop: { $ref: '#/components/schemas/Loop' },
    },
  },
};
const operations: Operation[] = operationsOf(document);
const operation = (wanted: string): Operation => operations.find(({ id }) => id === wanted)!;
const update = operation('updateKey');

describe('operations', () => {
  it('are read with the parameters of their path, references followed', () => {
    expect(update).toMatchObject({ method: 'PATCH', tag: 'Keys', needsCredential: true });
    expect(update.parameters.map(({ name }) => name)).toEqual(['key', 'limit']);
    expect(codesOf(document, update.responses[1])).toEqual(['gone']);
    expect(operation('health').needsCredential).toBe(false);
  });

  it('stand under their tags, the described ones first', () => {
    const groups: { name: string }[] = groupsOf(document, operations);
    expect(groups.map(({ name }) => name)).toEqual(['Keys', 'health']);
  });

  it('stand under the first word of their path when a tag only marks the version', () => {
    const paths = { '/api-keys/{key}': { get: { tags: ['auth_api_v1'] } } };
    expect(operationsOf({ paths })[0].tag).toBe('api-keys');
    expect(titleOf('api-keys')).toBe('API keys');
    expect(titleOf('audit-logs')).toBe('Audit logs');
  });

  it('name the error codes there are, unless the description lists them', () => {
    const answered = { status: '409', 'x-keyward-codes': ['taken'] };
    const fine = { status: '200', 'x-keyward-codes': ['never'] };
    expect(errorsOf({}, [{ responses: [fine, answered] }])).toEqual([
      { code: 'taken', status: '409', message: '' },
    ]);
    const listed = [{ code: 'taken', status: 409, message: 'It is taken.' }];
    expect(errorsOf({ 'x-keyward-errors': listed }, [])).toBe(listed);
  });

  it('are found by any of their words', () => {
    expect(matches(update, 'patch key')).toBe(true);
    expect(matches(update, 'patch webhook')).toBe(false);
    expect(matches(update, '')).toBe(true);
  });

  it('survive references that lead nowhere or to themselves', () => {
    expect(resolve(document, { $ref: '#/nowhere/at/all' }).description).toContain('Not found');
    expect(() => resolve(document, { $ref: '#/components/schemas/Loop' })).not.toThrow();
  });
});

describe('schemas', () => {
  const limits = { anyOf: [{ $ref: '#/components/schemas/Limits' }, { type: 'null' }] };

  it.each([
    [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
    [{ anyOf: [{ const: 'live' }, { const: 'test' }] }, '"live" | "test"'],
    [{ enum: ['a', 'b'] }, '"a" | "b"'],
    [{ enum: Array.from({ length: 46 }, String) }, 'one of 46 values'],
    [limits, 'object or null'],
    [{ type: 'array', items: { type: 'integer' } }, 'array of integer'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{}, 'any'],
  ])('%j is named %s', (schema, name) => {
    expect(typeName(document, schema)).toBe(name);
  });

  it('show the fields of inner objects after their own', () => {
    const schema = { type: 'object', required: ['limits'], properties: { limits } };
    const rows: Row[] = fieldRows(document, schema);
    expect(rows.map(({ path, required }) => [path.join('.'), required])).toEqual([
      ['limits', true],
      ['limits.most', true],
      ['limits.name', false],
    ]);
    const list = { type: 'array', items: schema };
    expect(fieldRows(document, list)[1].path).toEqual(['[]', 'limits', 'most']);
  });

  it('put allOf together', () => {
    const schema = {
      allOf: [
        { $ref: '#/components/schemas/Limits' },
        { properties: { more: { type: 'boolean' } }, required: ['more'] },
      ],
    };
    const rows: Row[] = fieldRows(document, schema);
    expect(rows.filter(({ required }) => required)).toHaveLength(2);
    expect(exampleOf(document, schema, false)).toEqual({ most: 1, more: true });
  });

  it('say their limits in words', () => {
    expect(limitsOf(document, { minLength: 8, maxLength: 256 })).toEqual(['8 to 256 characters']);
    expect(limitsOf(document, { anyOf: [{ maxItems: 1000 }, { type: 'null' }] })).toEqual([
      'at most 1,000 items',
    ]);
    expect(limitsOf(document, { minimum: 0, default: 0 })).toEqual(['at least 0', 'default `0`']);
  });

  it('end where they hold themselves', () => {
    const tree = { $ref: '#/components/schemas/Tree' };
    expect(fieldRows(document, tree).length).toBeLessThan(10);
    expect(JSON.stringify(exampleOf(document, tree, true)).length).toBeLessThan(200);
  });

  it('have an example with what is required, or with everything', () => {
    expect(exampleOf(document, limits, false)).toEqual({ most: 1 });
    expect(exampleOf(document, limits, true)).toEqual({ most: 1, name: 'string' });
    expect(exampleOf(document, { examples: [7], type: 'integer' }, true)).toBe(7);
    expect(exampleOf(document, { const: false }, true)).toBe(false);
  });
});

describe('a request', () => {
  const values = { 'path.key': "it's/a key", 'query.limit': '', body: '{"name":"O\'Hara"}' };

  it('is put together from what was filled in', () => {
    expect(requestOf(update, values)).toMatchObject({
      path: "/keys/it's%2Fa%20key",
      headers: [['content-type', 'application/json']],
    });
    expect(requestOf(update, { ...values, 'query.limit': '5' }).path).toMatch(/\?limit=5$/);
    expect(requestOf(update, { body: ' ' })).toMatchObject({ path: '/keys/{key}', headers: [] });
    expect(missingIn(update, {})).toEqual(['key']);
    expect(missingIn(update, values)).toEqual([]);
  });

  it('is a line that a shell reads as one word each, without the access key', () => {
    expect(curlOf(requestOf(update, values), 'http://localhost')).toBe(
      [
        "curl -X PATCH 'http://localhost/keys/it'\\''s%2Fa%20key'",
        '-H "x-api-key: $ACCESS_KEY"',
        "-H 'content-type: application/json'",
        "-d '{\"name\":\"O'\\''Hara\"}'",
      ].join(' \\\n  '),
    );
  });
});
