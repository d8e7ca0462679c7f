import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import type { Route } from '../../src/kernel/route.ts';
import type { TestResponse } from '../harness/test-client.ts';

type Json = ReturnType<typeof JSON.parse>;

/** Describes how a response violates the OpenAPI description; null if it does not. */
export type ResponseCheck = (route: Route, response: TestResponse) => string | null;

/**
 * Checks responses against the OpenAPI description. Objects are treated as closed, so a field that
 * is not described is also an error.
 */
export function createResponseCheck(routes: readonly Route[]): ResponseCheck {
  const document = openApiDocument(routes) as Json;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'openapi', ...closed(document) });
  const compiled = new Map<string, ValidateFunction>();

  return (route, { status, body }) => {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    const method = route.method.toLowerCase();
    const described = document.paths[path][method].responses[status];
    if (route.stream && status === 200) return null;
    if (described === undefined) return `${route.operationId} does not describe ${status}`;
    const location: string[] = described.$ref?.slice('#/'.length).split('/') ?? [
      'paths',
      path,
      method,
      'responses',
      status,
    ];
    const response = location.reduce((part, name) => part[name], document);
    const codes: string[] | undefined = response['x-keyward-codes'];
    if (codes !== undefined && !codes.includes(body?.code))
      return `${route.operationId} does not describe ${status} ${body?.code}`;
    const pointer = [...location, 'content', 'application/json']
      .map((part) => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const check = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#/${pointer}/schema` });
    compiled.set(pointer, check);
    return check(body) ? null : ajv.errorsText(check.errors);
  };
}

function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (value === null || typeof value !== 'object') return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, closed(inner)]),
  );
  return copy.type === 'object' && copy.properties && copy.additionalProperties === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}
