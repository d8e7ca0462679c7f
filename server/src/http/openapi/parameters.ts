import type { Route } from '../../kernel/route.ts';
import { type Components, componentName, type Json } from './components.ts';

interface Parameter extends Json {
  readonly title?: string;
  readonly name: string;
  readonly in: string;
}

/** Writes the parameters of a route. Those that several routes have are components, which are named once. */
export function createParameters(routes: readonly Route[], components: Components) {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const parameter of routes.flatMap(parametersOf)) {
    const text = JSON.stringify(parameter);
    (seen.has(text) ? shared : seen).add(text);
  }
  return (route: Route): Json[] =>
    parametersOf(route).map((parameter) =>
      shared.has(JSON.stringify(parameter))
        ? referToParameter(parameter, components)
        : written(parameter, components),
    );
}

/** The component has the name of the parameter, or its title where parameters of one name differ: `PlanIdInPath`. */
export function referToParameter(parameter: Parameter, components: Components): Json {
  const { title, name, in: where } = parameter;
  const component = `${title ?? componentName(name)}In${componentName(where)}`;
  return components.refer('parameters', component, written(parameter, components));
}

const written = ({ title: _, ...parameter }: Parameter, components: Components): Json => ({
  ...parameter,
  schema: components.schema(parameter.schema),
});

const parametersOf = (route: Route): Parameter[] => [
  ...parametersIn('path', route.params),
  ...parametersIn('query', route.query),
  ...(route.creates ? [IDEMPOTENCY_KEY] : []),
  ...(route.updates ? [IF_MATCH] : []),
  ...(route.errors?.includes('domain_denied') ? [ORIGIN] : []),
];

function parametersIn(where: 'path' | 'query', schema: Route['params']): Parameter[] {
  if (schema === undefined) return [];
  const required = new Set((schema.required as string[] | undefined) ?? []);
  return Object.entries(schema.properties as Record<string, Json>).map(([name, property]) => {
    const { title, description, ...rest } = property;
    return {
      ...(typeof title === 'string' && { title }),
      name,
      in: where,
      required: where === 'path' || required.has(name),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

export const headerParameter = (
  name: string,
  description: string,
  { required = false, ...limits }: { required?: boolean; minLength?: number; maxLength?: number },
): Parameter => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', ...limits },
});

const IDEMPOTENCY_KEY = headerParameter(
  'Idempotency-Key',
  'A unique value, such as a UUID, that makes retries safe. The same request (path, query and body) with the same key within 24 hours returns the first response and creates nothing.',
  { minLength: 1, maxLength: 255 },
);

const IF_MATCH = headerParameter(
  'If-Match',
  'The `updatedAt` of the resource when you read it, in quotes. If it was changed since, the request returns 412 and changes nothing.',
  {},
);

const ORIGIN = headerParameter(
  'x-origin-domain',
  'The host that your user calls from, or an `Origin` such as `https://app.example.com`, of which only the host is used. Required for keys with `allowedDomains`.',
  {},
);
