import { defineRoute, type Route } from '../../kernel/route.ts';
import { Deleted } from '../../kernel/schemas.ts';
import { PlanPreview, PreviewPlan } from './preview/schema.ts';
import type { PreviewService } from './preview/service.ts';
import { CreatePlan, ListPlans, Plan, PlanParams, UpdatePlan } from './schema.ts';
import type { PlanService } from './service.ts';

export const planRoutes = (service: PlanService, previews: PreviewService): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/plans',
    operationId: 'createPlan',
    tag: 'plans',
    summary: 'Create a plan',
    description:
      'A plan gives its settings to all keys that have it: by `planId` of the key, of its customer, or by `defaultPlanId` of the project. `projectId` defaults to the project of the access key, or to the only active project of the account.',
    access: 'plans:write',
    body: CreatePlan,
    reply: Plan,
    status: 201,
    creates: true,
    errors: ['project_required', 'project_not_found', 'project_inactive'],
    handle: ({ actor, body, idempotency }) => service.create(actor, body, idempotency),
  }),
  defineRoute({
    method: 'GET',
    path: '/plans',
    operationId: 'listPlans',
    tag: 'plans',
    summary: 'List plans, newest first',
    access: 'plans:read',
    query: ListPlans,
    reply: Plan,
    status: 200,
    list: true,
    handle: ({ actor, query }) => service.list(actor.principal, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/plans/:id',
    operationId: 'getPlan',
    tag: 'plans',
    summary: 'Retrieve a plan',
    access: 'plans:read',
    params: PlanParams,
    reply: Plan,
    status: 200,
    errors: ['plan_not_found'],
    handle: ({ actor, params }) => service.get(actor.principal, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/plans/:id',
    operationId: 'updatePlan',
    tag: 'plans',
    summary: 'Update a plan',
    description:
      'Fields that you omit are not changed, and `null` clears a field that accepts it. The change applies at once to all keys with this plan, except that `credits` change at the next refill. It takes the same time for one key and for a million.',
    access: 'plans:write',
    params: PlanParams,
    body: UpdatePlan,
    reply: Plan,
    status: 200,
    updates: true,
    errors: ['plan_not_found'],
    handle: ({ actor, params, body }) => service.update(actor, params.id, body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/plans/:id',
    operationId: 'deletePlan',
    tag: 'plans',
    summary: 'Delete a plan',
    description: 'Only a plan that no key, customer or project uses can be deleted.',
    access: 'plans:write',
    params: PlanParams,
    reply: Deleted,
    status: 200,
    errors: ['plan_not_found', 'plan_in_use'],
    async handle({ actor, params }) {
      await service.delete(actor, params.id);
      return true;
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
