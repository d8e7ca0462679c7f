import { defineRoute, type Route } from '../../kernel/route.ts';
import { resourceRoutes } from '../resources/index.ts';
import { PlanPreview, PreviewPlan } from './preview/schema.ts';
import type { PreviewService } from './preview/service.ts';
import type { PlanService } from './service.ts';

export const planRoutes = (service: PlanService, previews: PreviewService): Route[] => [
  ...resourceRoutes('plans', service, {
    create: {
      description:
        'A plan gives its settings to all keys that have it: by `planId` of the key, of its customer, or by `defaultPlanId` of the project. `projectId` defaults to the project of the access key, or to the only active project of the account.',
      example: {
        name: 'Pro',
        permissions: ['documents.*'],
        limits: [{ name: 'day', rateLimit: 10_000, rateLimitTtl: 86_400 }],
        credits: { amount: 1_000, interval: 'month' },
      },
    },
    get: {
      description:
        'The plan with its permissions, limits and credits, as they apply to every key that has it.',
    },
    update: {
      description:
        'Fields that you omit are not changed, and `null` clears a field that accepts it. The change applies at once to all keys with this plan, except that `credits` change at the next refill. It takes the same time for one key and for a million.',
      example: { permissions: ['documents.*', 'search'] },
    },
    delete: {
      description: 'Only a plan that no key, customer or project uses can be deleted.',
      errors: ['plan_in_use'],
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/plans/preview',
    operationId: 'previewPlan',
    tag: 'plans',
    summary: 'Preview what limits and credits would have refused',
    description:
      'Replays the usage of the last hours, which is recorded by minute, through limits and credits: those that you send, or those of a plan. The keys are those that have the plan today, those of a customer, one key, or all keys of a project. Nothing is changed. All requests of a minute count at its beginning, and the sum of their costs is divided evenly between them. Credits begin with their full amount. Also needs the scope `analytics:read`.',
    example: {
      body: { limits: [{ name: 'minute', rateLimit: 60, rateLimitTtl: 60 }], hours: 24 },
    },
    access: 'plans:read',
    body: PreviewPlan,
    reply: PlanPreview,
    status: 200,
    errors: [
      'plan_not_found',
      'key_not_found',
      'project_required',
      'project_not_found',
      'project_inactive',
    ],
    handle: ({ actor, body }) => previews.run(actor, body),
  }),
];
