import { accessKeyRoutes } from '../features/access-keys/index.ts';
import { accountRoutes } from '../features/accounts/index.ts';
import { analyticsRoutes } from '../features/analytics/index.ts';
import { apiKeyRoutes } from '../features/api-keys/index.ts';
import { AuditService, auditRoutes } from '../features/audit/index.ts';
import { changeStreamRoutes } from '../features/change-stream/index.ts';
import { customerRoutes } from '../features/customers/index.ts';
import { leakRoutes } from '../features/leaks/index.ts';
import { invitationRoutes, peopleRoutes } from '../features/people/index.ts';
import { planRoutes } from '../features/plans/index.ts';
import { portalRoutes, portalSessionRoutes } from '../features/portal/index.ts';
import { ProjectService, projectRoutes } from '../features/projects/index.ts';
import type { RecordParts } from '../features/resources/index.ts';
import { validationRoutes } from '../features/validation/index.ts';
import { webhookRoutes } from '../features/webhooks/index.ts';
import { serviceRoutes } from '../http/service-routes.ts';
import type { Route } from '../kernel/route.ts';

/** From these parts, routes make their own service if they need no other. */
type CommonParts = RecordParts;

/** The routes of the API. */
const ROUTES = {
  apiKeys: apiKeyRoutes,
  validation: validationRoutes,
  plans: planRoutes,
  customers: customerRoutes,
  portalSessions: portalSessionRoutes,
  portal: portalRoutes,
  accessKeys: accessKeyRoutes,
  projects: (parts: CommonParts) => projectRoutes(new ProjectService(parts)),
  accounts: accountRoutes,
  invitations: invitationRoutes,
  people: peopleRoutes,
  webhooks: webhookRoutes,
  audit: (parts: CommonParts) => auditRoutes(new AuditService(parts)),
  analytics: analyticsRoutes,
  leaks: leakRoutes,
  changeStream: changeStreamRoutes,
  service: serviceRoutes,
};

type Routes = typeof ROUTES;

/** The services that the routes call, if they need others than the common parts. */
export type RouteServices = {
  readonly [Name in keyof Routes as [CommonParts] extends Parameters<Routes[Name]>
    ? never
    : Name]: Parameters<Routes[Name]>;
};

export const routesWith = (common: CommonParts, services: RouteServices): Route[] =>
  Object.entries(ROUTES).flatMap(([name, routes]) =>
    (routes as (...parts: readonly unknown[]) => Route[])(
      ...(services[name as keyof RouteServices] ?? [common]),
    ),
  );

/** The routes without services, for documentation and tests. Their handlers cannot be called. */
export const describeRoutes = (): readonly Route[] =>
  Object.values(ROUTES).flatMap((routes) =>
    (routes as (...nothing: object[]) => Route[])({}, {}, {}),
  );
