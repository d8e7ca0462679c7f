import { SESSION_COOKIE } from '../../features/people/index.ts';
import { ERRORS } from '../../kernel/errors.ts';
import { packageVersion } from '../../kernel/files.ts';
import type { Route } from '../../kernel/route.ts';
import { INTRODUCTION, TAG_GROUPS, TAGS } from '../docs-page/introduction.ts';
import { Components, type Json } from './components.ts';
import { deliveries } from './deliveries.ts';
import { createOperations } from './operations.ts';

export const PRODUCT = { name: 'Keyward', version: packageVersion() };

/** Of the interface that existing clients use (the tag `auth_api_v1`). The version of Keyward is separate. */
const INTERFACE_VERSION = '0.3.4';

/** OpenAPI 3.1 of all routes and events, from the schemas that the server uses. */
export function openApiDocument(routes: readonly Route[]): Json {
  const components = new Components();
  const operationOf = createOperations(routes, components);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Keyward',
      version: INTERFACE_VERSION,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
      'x-keyward-version': PRODUCT.version,
    },
    'x-keyward-errors': Object.entries(ERRORS).map(([code, [status, message]]) => ({
      code,
      status,
      message,
    })),
    servers: [{ url: '/' }],
    tags: TAGS,
    'x-tagGroups': TAG_GROUPS,
    security: [{ accessKey: [] }, { bearer: [] }, { session: [] }],
    paths,
    webhooks: deliveries(components),
    components: {
      securitySchemes: {
        accessKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'An access key.',
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'An access key.' },
        portalToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of a portal session. It works for no other operation.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description:
            'The session of a person who is signed in to the dashboard. Requests that change something must come from pages of this server. The header `x-keyward-account` selects the account.',
        },
      },
      ...components.toJson(),
    },
  };
}
