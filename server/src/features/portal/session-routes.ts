import { defineRoute, type Route } from '../../kernel/route.ts';
import { Deleted, deleted } from '../../kernel/schemas.ts';
import {
  CreatePortalSession,
  ListPortalSessions,
  NewPortalSession,
  PortalSession,
  PortalSessionParams,
} from './schema.ts';
import type { PortalSessionService } from './session-service.ts';

/** For the servers of the account. */
export const portalSessionRoutes = (service: PortalSessionService): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/portal-sessions',
    operationId: 'createPortalSession',
    tag: 'portal',
    summary: 'Create a portal session',
    description:
      'Lets one customer manage its own keys until the session expires. Send the customer to `url`, or give `token` to `keyward/react` in your own page. `projectId` defaults to the project of the access key, or to the only active project of the account.',
    example: {
      body: { customAccountId: 'acme', expiresInSeconds: 3_600 },
      keeps: ['PORTAL_TOKEN', 'token'],
    },
    access: 'portal:write',
    body: CreatePortalSession,
    reply: NewPortalSession,
    status: 201,
    creates: true,
    errors: ['project_required', 'project_not_found', 'project_inactive', 'grant_exceeds_own'],
    handle: ({ actor, body, idempotency }) => service.create(actor, body, idempotency),
  }),
  defineRoute({
    method: 'GET',
    path: '/portal-sessions',
    operationId: 'listPortalSessions',
    tag: 'portal',
    summary: 'List portal sessions, newest first',
    description: 'Sessions that have neither ended nor expired.',
    example: { query: { customAccountId: 'acme', limit: 10 }, keeps: ['PORTAL_SESSION_ID', 'id'] },
    access: 'portal:write',
    query: ListPortalSessions,
    reply: PortalSession,
    status: 200,
    list: true,
    handle: async ({ actor, query }) => service.list(actor.principal, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/portal-sessions/:id',
    operationId: 'getPortalSession',
    tag: 'portal',
    summary: 'Retrieve a portal session',
    description: 'The session without its token, which is shown only when the session is created.',
    example: { params: { id: '$PORTAL_SESSION_ID' } },
    access: 'portal:write',
    params: PortalSessionParams,
    reply: PortalSession,
    status: 200,
    errors: ['portal_session_not_found'],
    handle: ({ actor, params }) => service.get(actor.principal, params.id),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/portal-sessions/:id',
    operationId: 'deletePortalSession',
    tag: 'portal',
    summary: 'End a portal session',
    description:
      'Takes effect before the response is sent. Keys that were created in the session stay. Deactivating a project ends all of its sessions.',
    example: { params: { id: '$PORTAL_SESSION_ID' } },
    access: 'portal:write',
    params: PortalSessionParams,
    reply: Deleted,
    status: 200,
    errors: ['portal_session_not_found'],
    handle: ({ actor, params }) => deleted(service.end(actor, params.id)),
  }),
];
