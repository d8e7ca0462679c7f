import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { openApiDocument } from '../../../src/http/openapi/document.ts';
import type { Route } from '../../../src/kernel/route.ts';
import { ROOT } from '../blocks.ts';

interface Shown {
  readonly method: string;
  readonly path: string;
}

type Json = ReturnType<typeof JSON.parse>;

/** The routes as the page of the API reference shows them. */
export function inPageOrder(routes: readonly Route[]): Route[] {
  const document = openApiDocument(routes) as Json;
  const shown = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Json>(operations).map(([method, operation]) => ({ method, path, operation })),
  );
  const groups: { tags: string[] }[] = document['x-tagGroups'];
  const sorted = groups
    .flatMap(({ tags }) => tags)
    .flatMap((tag) =>
      shown.filter(({ operation }) => operation.tags.includes(tag)).sort(pageSorter()),
    );
  const byId = new Map(routes.map((route) => [route.operationId, route]));
  return sorted.map(({ operation }) => byId.get(operation.operationId)!);
}

/** The one that the script of the page gives to Scalar. */
function pageSorter(): (a: Shown, b: Shown) => number {
  const script = readFileSync(join(ROOT, 'server/src/http/docs-page/reference.js'), 'utf8');
  let sorter: ((a: Shown, b: Shown) => number) | undefined;
  runInNewContext(script, {
    addEventListener: (_: string, listener: () => void) => listener(),
    Scalar: {
      createApiReference(_: string, options: { operationsSorter: typeof sorter }) {
        sorter = options.operationsSorter;
      },
    },
  });
  return sorter!;
}
