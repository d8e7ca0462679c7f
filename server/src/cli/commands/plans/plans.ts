import { PLAN } from '@keyward/rules/resources/plan.ts';
import { CLEAR_OPTION, cleared, NOTHING_TO_CHANGE } from '../../clear-option.ts';
import type { Command } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { changeOptions, clearable, fieldOptions, fieldValues } from '../../fields/options.ts';
import { listCommand } from '../../listing.ts';
import { resourceCommand } from '../../resource-command.ts';
import { previewPlan } from './preview.ts';

const CLEARABLE = clearable(PLAN);

const PLAN_ARGUMENT = { name: 'PLAN', help: 'The id of the plan (pln_…)' };

const createPlan = resourceCommand({
  words: 'plans create',
  summary: 'Create a plan',
  details: 'Assign it with --plan of keys and customers, or with projects update --default-plan.',
  options: {
    ...fieldOptions(PLAN),
    project: { value: 'ID', help: 'The project (prj_…). Default: that of the access key' },
  },
  examples: [
    'npx keyward plans create --name Pro --limit second=20/1 --limit month=1000000/30d,customer',
    'npx keyward plans create --name Free --permission documents.read --credits 1000/month',
  ],
  async run({ api, out, values }) {
    const body = { projectId: values.project, ...fieldValues(PLAN, values) };
    return out.record(await api.call('createPlan', { body }));
  },
});

const listPlans = listCommand({
  words: 'plans list',
  summary: 'List plans, newest first',
  operation: 'listPlans',
  fields: PLAN,
  columns: [
    { field: 'id', title: 'id', whole: true },
    { field: 'name', title: 'name' },
    { field: 'permissions', title: 'permissions' },
    { field: 'createdAt', title: 'created' },
  ],
  options: { project: { value: 'ID', help: 'Only plans of this project' } },
  examples: ['npx keyward plans list', 'npx keyward plans list --project prj_…'],
  query: (values) => ({ projectId: values.project }),
});

const getPlan = resourceCommand({
  words: 'plans get',
  summary: 'Show a plan',
  args: [PLAN_ARGUMENT],
  examples: ['npx keyward plans get pln_…'],
  run: async ({ api, out, args }) =>
    out.record(await api.call('getPlan', { path: { id: args[0]! } })),
});

const updatePlan = resourceCommand({
  words: 'plans update',
  summary: 'Change a plan, at once for all keys that have it',
  details: 'Options that are not given stay unchanged; lists are replaced as a whole.',
  args: [PLAN_ARGUMENT],
  options: {
    ...changeOptions(PLAN),
    clear: CLEAR_OPTION(CLEARABLE),
  },
  examples: [
    'npx keyward plans update pln_… --limit day=20000/1d',
    'npx keyward plans update pln_… --clear limit',
  ],
  async run({ api, out, values, args }) {
    const body = { ...cleared(values.clear, CLEARABLE), ...fieldValues(PLAN, values) };
    if (Object.keys(body).length === 0) throw new UsageError(NOTHING_TO_CHANGE);
    return out.record(await api.call('updatePlan', { path: { id: args[0]! }, body }));
  },
});

const deletePlan = resourceCommand({
  words: 'plans delete',
  summary: 'Delete a plan that nothing uses',
  args: [PLAN_ARGUMENT],
  examples: ['npx keyward plans delete pln_…'],
  async run({ api, out, args }) {
    const deleted = await api.call('deletePlan', { path: { id: args[0]! } });
    return out.done('Plan deleted.', deleted);
  },
});

export const planCommands: readonly Command[] = [
  createPlan,
  listPlans,
  getPlan,
  updatePlan,
  deletePlan,
  previewPlan,
];
