import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { ROOT } from './run-tool.ts';

/** The part of docs/openapi.json that is used here. */
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, { content?: Record<string, unknown> }>>;
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly 'x-keyward-errors': readonly { readonly code: string }[];
  readonly components: {
    readonly schemas: {
      readonly Delivery: { readonly properties: { readonly topic: { readonly enum: string[] } } };
    };
  };
}

const HEAD = '// Written by `npm run openapi` from docs/openapi.json; not to be edited.\n';

/** The generated files of the client: path and text. */
export async function sdkTypeFiles(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(ROOT, 'docs/openapi.json'), 'utf8');
  const types = await openapiTypes(JSON.parse(JSON.stringify(slim(JSON.parse(text)))) as OpenAPI3, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  return new Map([
    ['sdk/src/generated/api-types.ts', `${HEAD}\n${withoutGlobalNames(astToString(types))}`],
    ['sdk/src/generated/operations.ts', operationsFile(JSON.parse(text))],
  ]);
}

/**
 * Keeps only what callers of the client can get: successful JSON responses. Errors are thrown with a code.
 * This reduces the types to a third of their length.
 */
function slim(description: Description): unknown {
  const paths = Object.entries(description.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [method, slimOperation(operation)]),
    ),
  ]);
  return { ...description, paths: Object.fromEntries(paths), webhooks: {} };
}

function slimOperation(operation: Operation): Operation {
  const answers = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { content = {} }]) => [status, { description: '', content: jsonOf(content) }]);
  return { ...operation, responses: Object.fromEntries(answers) };
}

const jsonOf = (content: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(content).filter(([type]) => type === 'application/json'));

/** A type named `Error` would shadow the global `Error` where it is imported. */
const withoutGlobalNames = (types: string) =>
  types.replace('export type Error =', 'export type ErrorBody =');

function operationsFile(description: Description): string {
  const rows = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const creates = operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false;
      return `  ${operation.operationId}: { method: '${method.toUpperCase()}', path: '${path}'${creates ? ', creates: true' : ''} },`;
    }),
  );
  const codes = description['x-keyward-errors'].map(({ code }) => `  | '${code}'`);
  const topics = description.components.schemas.Delivery.properties.topic.enum.map(
    (topic) => `  '${topic}',`,
  );
  return [
    HEAD,
    '/** Every operation of the API. `creates`: it takes an idempotency key. */',
    'export const OPERATIONS = {',
    ...rows,
    '} as const satisfies Record<string, { method: string; path: string; creates?: true }>;',
    '',
    '/** Every `code` that the server answers with; each has a page in docs/errors. */',
    'export type ErrorCode =',
    `${codes.join('\n')};`,
    '',
    '/** Every topic that a webhook can subscribe to. */',
    'export const TOPICS = [',
    ...topics,
    '] as const;',
    'export type Topic = (typeof TOPICS)[number];',
    '',
  ].join('\n');
}

if (import.meta.main) {
  for (const [path, text] of await sdkTypeFiles()) {
    await mkdir(dirname(join(ROOT, path)), { recursive: true });
    await writeFile(join(ROOT, path), text);
  }
}
