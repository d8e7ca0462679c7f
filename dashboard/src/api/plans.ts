import { useQuery } from '@tanstack/react-query';
import type { BodyOf, Plan } from 'keyward';
import { keyward } from './client.ts';
import { queryClient } from './query-client.ts';
import { invalidateWorkspace } from './workspace.ts';

/** All plans of a project, by name. */
export const usePlans = (projectId: string) =>
  useQuery({
    queryKey: ['plans', 'list', projectId],
    queryFn: async ({ signal }) => {
      const plans = await keyward.plans.list({ projectId, limit: 1000 }, { signal }).toArray();
      return plans.toSorted((a, b) => a.name.localeCompare(b.name));
    },
  });

const NO_PLANS: readonly Plan[] = [];

/** Finds a plan by its id; undefined while loading, and for a deleted plan. */
export function useFindPlan(projectId: string): (id: string | null) => Plan | undefined {
  const plans = usePlans(projectId).data ?? NO_PLANS;
  return (id) => plans.find((plan) => plan.id === id);
}

/** Names of plans; the id of a deleted one. */
export function usePlanName(projectId: string): (id: string) => string {
  const find = useFindPlan(projectId);
  return (id) => find(id)?.name ?? id;
}

export const usePlan = (id: string) =>
  useQuery({
    queryKey: ['plans', 'one', id],
    queryFn: ({ signal }) => keyward.plans.get(id, { signal }),
  });

const COUNTED_MAX = 100;

/** Number of keys and customers that have the plan by their own setting. */
export const usePlanUses = ({ id, projectId }: Plan) =>
  useQuery({
    queryKey: ['plans', 'uses', id],
    queryFn: async ({ signal }) => {
      const query = { projectId, planId: id };
      const [keys, customers] = await Promise.all([
        keyward.apiKeys.count(query, { signal }),
        keyward.customers.list(query, { signal }).take(COUNTED_MAX),
      ]);
      return {
        keys: keys.count,
        hasMoreKeys: !keys.isExact,
        customers: customers.items.length,
        hasMoreCustomers: customers.nextCursor !== null,
      };
    },
  });

/** The settings of a plan also apply to its keys and customers. */
const invalidate = () =>
  Promise.all(
    ['plans', 'customers', 'api-keys', 'audit-logs', 'search'].map((name) =>
      queryClient.invalidateQueries({ queryKey: [name] }),
    ),
  );

export async function createPlan(body: BodyOf<'createPlan'>, idempotencyKey: string) {
  const plan = await keyward.plans.create(body, { idempotencyKey });
  await invalidate();
  return plan;
}

export const fetchPlan = (id: string) => keyward.plans.get(id);

export async function updatePlan(id: string, body: BodyOf<'updatePlan'>, ifUpdatedAt: string) {
  await keyward.plans.update(id, body, { ifUpdatedAt });
  await invalidate();
}

/** `leave` leaves the page of the plan before the plan is removed from the cache, which the page reads. */
export async function deletePlan(id: string, leave: () => Promise<unknown>) {
  await keyward.plans.delete(id);
  await leave();
  queryClient.removeQueries({ queryKey: ['plans', 'one', id] });
  void invalidate();
}

const PREVIEW_TIMEOUT_MS = 60_000;

/** What limits and credits would have refused in the last hours. Nothing is changed. */
export const previewPlan = (body: BodyOf<'previewPlan'>) =>
  keyward.plans.preview(body, { timeoutMs: PREVIEW_TIMEOUT_MS });

/** Sets the default plan of the project, for keys for which neither key nor customer has a plan. Null: none. */
export async function setDefaultPlan(projectId: string, defaultPlanId: string | null) {
  await keyward.projects.update(projectId, { defaultPlanId });
  await Promise.all([invalidateWorkspace(), invalidate()]);
}
