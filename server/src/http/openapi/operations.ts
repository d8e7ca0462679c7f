import type { ErrorCode } from '../../kernel/errors.ts';
import { MERGE_PATCH, type Route } from '../../kernel/route.ts';
import { INTERFACE_TAG } from '../docs-page/introduction.ts';
import { CSV, NDJSON } from '../responses/listing.ts';
import { type Components, componentName, type Json } from './components.ts';
import { errorResponses } from './error-responses.ts';
import { createParameters } from './parameters.ts';
import { bodyExample, responseExample } from './samples/examples.ts';
import { codeSamples } from './samples/index.ts';

/** Writes the operation that a route describes. */
export function createOperations(routes: readonly Route[], components: Components) {
  const parameters = createParameters(routes, components);
  return (route: Route): Json => ({
    operationId: route.operationId,
    tags: tagsOf(route),
    summary: route.summary,
    ...descriptionOf(route),
    ...securityOf(route.access),
    'x-codeSamples': codeSamples(route),
    parameters: parameters(route),
    ...(route.body && {
      requestBody: {
        required: !('~optional' in route.body),
        content: {
          'application/json': {
            schema: components.schema(route.describedBody ?? route.body),
            ...bodyExample(route),
          },
          ...(route.mergePatch && {
            [MERGE_PATCH]: { schema: components.schema(route.mergePatch) },
          }),
        },
      },
    }),
    responses: {
      [route.status]: successOf(route, components),
      ...errorResponses(route, components),
    },
  });
}

function successOf(route: Route, components: Components): Json {
  if (route.status === 302)
    return { description: 'Found', headers: headersOf(LOCATION, components) };
  const reply = components.schema(route.reply);
  return {
    description: route.status === 201 ? 'Created' : 'OK',
    ...(route.list && { headers: headersOf({ ...LINK, ...route.responseHeaders }, components) }),
    content: route.stream
      ? { 'text/event-stream': { schema: reply, ...responseExample(route) } }
      : {
          'application/json': {
            schema: route.list ? { type: 'array', items: reply } : reply,
            ...responseExample(route),
          },
          ...(route.list && { [NDJSON]: { schema: reply } }),
          ...(route.csv && { [CSV]: { schema: { type: 'string' } } }),
        },
  };
}

/** From names and descriptions. */
const headersOf = (headers: Readonly<Record<string, string>>, components: Components): Json =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      components.refer('headers', componentName(name), { description, schema: { type: 'string' } }),
    ]),
  );

const LINK = {
  Link: '`<…>; rel="next"` if there is another page. A page may hold fewer items than `limit`: it ends at 1 MB.',
};

const LOCATION = { Location: 'The address of the next page.' };

/** Operations of the API of theauthapi also get the tag of their resource, the first part of their path. */
const tagsOf = ({ tag, path }: Route): string[] =>
  tag === INTERFACE_TAG ? [tag, path.split('/')[1]!] : [tag];

function descriptionOf(route: Route): Json {
  const parts = [route.description, requirementOf(route), needOf(route), errorsOf(route)].filter(
    (part) => part !== undefined,
  );
  return parts.length === 0 ? {} : { description: parts.join('\n\n') };
}

const needOf = ({ example }: Route): string | undefined =>
  example?.needs && `To try this, you need ${example.needs}.`;

/** Of this operation: the introduction leads to those that many have. Not in the responses, which the page shows as buttons. */
const errorsOf = ({ errors = [] }: Route): string | undefined =>
  errors.length === 0
    ? undefined
    : `Errors: ${errors.map((code) => `[\`${code}\`](/docs/errors/${code})`).join(', ')}.`;

/** Routes with these codes require more than a scope. Their descriptions say who may call them. */
const NOT_BY_SCOPE: readonly ErrorCode[] = ['people_only', 'operator_only'];

function requirementOf({ access, portalAction, errors }: Route): string | undefined {
  if (access === 'public' || access === 'person') return undefined;
  if (errors?.some((code) => NOT_BY_SCOPE.includes(code))) return undefined;
  if (access !== 'portal') return `Required scope: \`${access}\`.`;
  return portalAction && `The portal session must allow \`${portalAction}\`.`;
}

function securityOf(access: Route['access']): Json {
  if (access === 'public') return { security: [] };
  if (access === 'portal') return { security: [{ portalToken: [] }] };
  return access === 'person' ? { security: [{ session: [] }] } : { 'x-keyward-scope': access };
}
