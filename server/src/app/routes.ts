import { accessKeyRoutes } from '../features/access-keys/index.ts';
import { accountRoutes } from '../features/accounts/index.ts';
import { analyticsRoutes } from '../features/analytics/index.ts';
import { apiKeyRoutes } from '../features/api-keys/index.ts';
import { auditRoutes } from '../features/audit/index.ts';
import { changeStreamRoutes } from '../features/change-stream/index.ts';
import { customerRoutes } from '../features/customers/index.ts';
import { leakRoutes } from '../features/leaks/index.ts';
import { invitationRoutes, peopleRoutes } from '../features/people/index.ts';
import { planRoutes } from '../features/plans/index.ts';
import { portalRoutes, portalSessionRoutes } from '../features/portal/index.ts';
import { projectRoutes } from '../features/projects/index.ts';
import { validationRoutes } from '../features/validation/index.ts';
import { webhookRoutes } from '../features/webhooks/index.ts';
import { serviceRoutes } from '../http/service-routes.ts';
import type { Route } from '../kernel/route.ts';

/** The routes of the API. */
const ROUTES = {
  apiKeys: apiKeyRoutes,
  validation: validationRoutes,
  plans: planRoutes,
  customers: customerRoutes,
  portalSessions: portalSessionRoutes,
  portal: portalRoutes,
  accessKeys: accessKeyRoutes,
  projects: projectRoutes,
  accounts: accountRoutes,
  invitations: invitationRoutes,
  people: peopleRoutes,
  webhooks: webhookRoutes,
  audit: auditRoutes,
  analytics: analyticsRoutes,
  leaks: leakRoutes,
  changeStream: changeStreamRoutes,
  service: serviceRoutes,
};

/** The services that the routes call. */
export type RouteServices = {
  readonly [Name in keyof typeof ROUTES]: Parameters<(typeof ROUTES)[Name]>;
};

export const routesWith = (services: RouteServices): Route[] =>
  (Object.keys(ROUTES) as (keyof typeof ROUTES)[]).flatMap((name) =>
    (ROUTES[name] as (...parts: unknown[]) => Route[])(...services[name]),
  );

/** The routes without services, for documentation and tests. Their handlers cannot be called. */
export const describeRoutes = (): readonly Route[] =>
  Object.values(ROUTES).flatMap((routes) =>
    (routes as (...nothing: object[]) => Route[])({}, {}, {}),
  );
