import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { DESCRIBED_EVENTS } from '../features/webhooks/index.ts';
import { Components } from '../http/openapi/components.ts';
import { openApiDocument } from '../http/openapi/document.ts';
import { ERRORS, type ErrorCode } from '../kernel/errors.ts';
import type { Route } from '../kernel/route.ts';
import { describeRoutes } from './routes.ts';

type Json = ReturnType<typeof JSON.parse>;

/** As it is sent, without the internal properties of TypeBox. */
const sent = (value: unknown): Json =>
  value === undefined
    ? undefined
    : JSON.parse(JSON.stringify(value, (key, item) => (key.startsWith('~') ? undefined : item)));

const routes = describeRoutes();
const document = sent(openApiDocument(routes));
const pathOf = ({ path }: Route) => path.replaceAll(/:(\w+)/g, '{$1}');

const partAt = (reference: string): Json =>
  reference
    .slice('#/'.length)
    .split('/')
    .reduce((part, name) => part[name], document);

/** With the part instead of each reference to it. */
function dereferenced(value: Json): Json {
  if (Array.isArray(value)) return value.map(dereferenced);
  if (value === null || typeof value !== 'object') return value;
  if (typeof value.$ref === 'string') return dereferenced(partAt(value.$ref));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, dereferenced(item)]),
  );
}

const operations = routes.map((route) => ({
  route,
  name: route.operationId,
  written: document.paths[pathOf(route)][route.method.toLowerCase()],
}));

/** Remarks of the linter about the API itself. The first two paths are those of theauthapi. */
const ACCEPTED = [
  ['no-ambiguous-paths', '#/paths/~1api-keys~1auth~1{key}'],
  ['no-ambiguous-paths', '#/paths/~1api-keys~1{key}~1explain'],
  ['operation-2xx-response', '#/paths/~1auth~1callback~1{id}/get/responses'],
];

it('is valid OpenAPI: the linter has no remark, and every example is as its schema says', async () => {
  const strict = ['operation-description', 'operation-tag-defined', 'no-unused-components'];
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      ...Object.fromEntries(strict.map((rule) => [rule, 'error'])),
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: false },
    },
  });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
  expect(problems.map(({ ruleId, location }) => [ruleId, location[0]?.pointer])).toEqual(ACCEPTED);
});

describe('a part that several operations have', () => {
  const kinds = ['responses', 'parameters', 'headers'];

  it('is in the document once', () => {
    const inline = operations.flatMap(({ written }) => [
      ...written.parameters,
      ...Object.values<Json>(written.responses).flatMap(({ headers = {} }) =>
        Object.values<Json>(headers),
      ),
    ]);
    const parts = [
      ...inline.filter((part) => !part.$ref),
      ...kinds.flatMap((kind) => Object.values(document.components[kind])),
    ].map((part) => JSON.stringify(part));
    expect(parts.filter((part, n) => parts.indexOf(part) !== n)).toEqual([]);
  });

  it('is a component if it is an error response', () => {
    for (const { name, route, written } of operations)
      for (const [status, response] of Object.entries<Json>(written.responses))
        expect([name, status, '$ref' in response]).toEqual([
          name,
          status,
          status !== `${route.status}`,
        ]);
  });

  it('has a name of its own', () => {
    const components = new Components();
    const part = { description: 'One.' };
    expect(components.refer('headers', 'Link', part)).toEqual({
      $ref: '#/components/headers/Link',
    });
    expect(components.refer('headers', 'Link', { ...part })).toHaveProperty('$ref');
    expect(() => components.refer('headers', 'Link', { description: 'Two.' })).toThrow(
      'Two different headers of the API description are called Link.',
    );
  });

  it('is named by its codes if it is an error response, so that its name says what it is', () => {
    const { responses } = document.components;
    expect(responses.KeyNotFoundOrAccountNotFound['x-keyward-codes']).toEqual([
      'key_not_found',
      'account_not_found',
    ]);
    for (const [name, { 'x-keyward-codes': codes }] of Object.entries<Json>(responses))
      for (const code of codes ?? []) {
        const [first, ...others] = code.split('_').map((word: string) => word.toLowerCase());
        expect(name.toLowerCase()).toContain(first);
        expect(name.toLowerCase()).toContain(others.join(''));
      }
  });
});

describe.each(operations)('with its parts, $name is described as its route says', (operation) => {
  const { route } = operation;
  const written = dereferenced(operation.written);

  it('parameters', () => {
    const declared = (['path', 'query'] as const).flatMap((where) => {
      const { properties = {}, required = [] } =
        sent(where === 'path' ? route.params : route.query) ?? {};
      return Object.entries<Json>(properties).map(
        ([name, { title: _, description, ...schema }]) => ({
          name,
          in: where,
          required: required.includes(name),
          ...(description && { description }),
          schema,
        }),
      );
    });
    const headers = [
      ...(route.creates ? ['Idempotency-Key'] : []),
      ...(route.updates ? ['If-Match'] : []),
      ...(route.errors?.includes('domain_denied') ? ['x-origin-domain'] : []),
    ];
    expect(written.parameters).toEqual([
      ...declared,
      ...headers.map((name) => expect.objectContaining({ name, in: 'header' })),
    ]);
  });

  it('body and response', () => {
    const body = sent(route.describedBody ?? route.body);
    expect(written.requestBody?.content['application/json'].schema).toEqual(body);
    const { content, headers = {} } = written.responses[route.status];
    if (route.status === 302) return expect(Object.keys(headers)).toEqual(['Location']);
    const reply = sent(route.reply);
    const [{ schema }] = Object.values<Json>(content);
    expect(schema).toEqual(route.list ? { type: 'array', items: reply } : reply);
    expect(headers).toMatchObject(route.list ? { Link: { schema: { type: 'string' } } } : {});
    for (const [name, description] of Object.entries(route.responseHeaders ?? {}))
      expect(headers[name]).toEqual({ description, schema: { type: 'string' } });
  });

  it('description, samples, and examples of its request and response', () => {
    expect(route.description?.length).toBeGreaterThan(20);
    expect(route.description).not.toBe(route.summary);
    expect(written['x-codeSamples'].map(({ label }: Json) => label)).toEqual([
      'curl',
      'TypeScript',
      'Python',
      'Go',
    ]);
    for (const code of route.errors ?? [])
      expect(written.description).toContain(`(/docs/errors/${code})`);
    const body = written.requestBody?.content['application/json'];
    if (body) expect(body).toHaveProperty('example');
    if (route.status === 302) return;
    const [response] = Object.values<Json>(written.responses[route.status].content);
    expect(response).toHaveProperty('example');
  });

  it('errors', () => {
    const errors = Object.entries<Json>(written.responses).filter(
      ([status]) => status !== `${route.status}`,
    );
    const statusesOf = (code: ErrorCode) => route.statuses?.[code] ?? [ERRORS[code][0]];
    const listed = errors.flatMap(([status, response]) => {
      expect(response.content['application/json'].schema.title).toBe('Error');
      return response['x-keyward-codes'].map((code: ErrorCode) => {
        expect(statusesOf(code)).toContain(Number(status));
        expect(response.description).toContain(`\`${code}\``);
        return `${status} ${code}`;
      });
    });
    const declared: ErrorCode[] = [...(route.errors ?? []), 'invalid_query'];
    if (route.body) declared.push('invalid_body');
    if (route.list) declared.push('invalid_cursor');
    if (route.creates) declared.push('idempotency_mismatch');
    if (route.updates) declared.push('edit_conflict');
    if (route.access !== 'public') declared.push('credential_missing');
    expect(listed).toEqual(
      expect.arrayContaining(
        declared.flatMap((code) => statusesOf(code).map((status) => `${status} ${code}`)),
      ),
    );
    expect(new Set(listed).size).toBe(listed.length);
  });
});

it('every event is described by its schema and example, with the headers of its signature', () => {
  for (const { topic, schema, example } of DESCRIBED_EVENTS) {
    const { parameters, requestBody, responses } = dereferenced(document.webhooks[topic].post);
    expect(requestBody.content['application/json']).toEqual({
      schema: sent(schema),
      examples: { [topic]: { value: sent(example) } },
    });
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
    expect(Object.keys(responses)).toEqual(['410', '2XX']);
  }
});
