import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describeRoutes } from '../../../src/app/routes.ts';
import { codeSamples } from '../../../src/http/openapi/samples/index.ts';
import type { Route } from '../../../src/kernel/route.ts';
import { inPageOrder } from './page-order.ts';
import type { Reader } from './reader.ts';

export const routesInOrder: readonly Route[] = inPageOrder(describeRoutes());

/** The routes whose examples anybody can run. */
export const runnable: readonly Route[] = routesInOrder.filter(
  ({ example }) => example?.needs === undefined,
);

export function sampleIn(language: string, route: Route): string {
  const sample = codeSamples(route).find(({ lang }) => lang === language);
  return sample!.source as string;
}

/** Runs a program for each route, in the order of the page. What a program shows has the values for those after it. */
export async function runInOrder(
  { env }: Reader,
  run: (route: Route, env: Readonly<Record<string, string>>) => Promise<string>,
): Promise<void> {
  const known = { ...env };
  for (const route of runnable) {
    const { first, keeps } = route.example ?? {};
    // Not execFileSync: the server is in this process.
    if (first !== undefined)
      await promisify(execFile)('bash', ['-c', first], { env: { ...process.env, ...known } });
    const output = await run(route, known).catch((error) => {
      throw new Error(`${route.operationId}: ${error.message}`);
    });
    if (keeps === undefined) continue;
    const [variable, field] = keeps;
    // As JSON, or as Node or Python prints an object.
    const [, value] = new RegExp(`\\b${field}["']?: ?["']([^"']+)`).exec(output) ?? [];
    if (value === undefined)
      throw new Error(`${route.operationId} has not shown ${field}: ${output}`);
    known[variable] = value;
  }
}
