import { CLEAR_OPTION, cleared, NOTHING_TO_CHANGE } from '../../clear-option.ts';
import type { Command, OptionSpecs, ValuesOf } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { listCommand } from '../../listing.ts';
import { resourceCommand } from '../../resource-command.ts';
import { readMetadata, withoutUndefined } from '../../values.ts';
import { CLEARABLE_CREDITS, CREDIT_OPTIONS, creditFields } from './credit-options.ts';
import { CLEARABLE_POLICIES, POLICY_OPTIONS, policyFields } from './policy-options.ts';

const CUSTOMER_ARGUMENT = {
  name: 'CUSTOMER',
  help: 'The id of the customer (cus_…); with --project, your own id',
};

const OWN_ID_OPTION = {
  project: { value: 'ID', help: 'The project (prj_…), if CUSTOMER is your own id' },
} as const satisfies OptionSpecs;

const CUSTOMER_OPTIONS = {
  name: { value: 'NAME', help: 'Display name' },
  email: { value: 'ADDRESS', help: 'For display; nothing is sent to it' },
  plan: { value: 'ID', help: 'The plan (pln_…) of keys without a plan of their own' },
  metadata: { value: 'JSON', help: `Custom metadata, as a JSON object: '{"seats":5}'` },
  tag: { value: 'TAG', multiple: true, help: 'A label to filter customers by (repeatable)' },
  ...POLICY_OPTIONS,
  ...CREDIT_OPTIONS,
} as const satisfies OptionSpecs;

const CLEARABLE = {
  name: 'name',
  email: 'email',
  plan: 'planId',
  tag: 'tags',
  ...CLEARABLE_POLICIES,
  ...CLEARABLE_CREDITS,
};

const customerFields = (values: ValuesOf<typeof CUSTOMER_OPTIONS>): Record<string, unknown> => ({
  ...withoutUndefined({
    name: values.name,
    email: values.email,
    planId: values.plan,
    customMetaData: values.metadata === undefined ? undefined : readMetadata(values.metadata),
    tags: values.tag,
  }),
  ...policyFields(values),
  ...creditFields(values),
});

const nameOf = (args: readonly string[], projectId: string | undefined) => ({
  path: { id: args[0]! },
  query: { projectId },
});

const createCustomer = resourceCommand({
  words: 'customers create',
  summary: 'Create a customer: settings for all keys with the same --account-id',
  options: {
    'account-id': { value: 'ID', help: 'Your own id of the customer', required: true },
    project: { value: 'ID', help: 'The project (prj_…). Default: that of the access key' },
    ...CUSTOMER_OPTIONS,
  },
  examples: [
    'npx keyward customers create --account-id acme --name "Acme Inc." --plan pln_…',
    'npx keyward customers create --account-id acme --limit day=50000/1d,customer --refill 1000/month',
  ],
  async run({ api, out, values }) {
    const project = withoutUndefined({ projectId: values.project });
    const body = { ...project, ...customerFields(values), customAccountId: values['account-id']! };
    return out.record(await api.call('createCustomer', { body }));
  },
});

const listCustomers = listCommand({
  words: 'customers list',
  summary: 'List customers, newest first',
  operation: 'listCustomers',
  columns: [
    { field: 'id', title: 'id', whole: true },
    { field: 'customAccountId', title: 'account id' },
    { field: 'name', title: 'name' },
    { field: 'planId', title: 'plan' },
    { field: 'tags', title: 'tags' },
    { field: 'createdAt', title: 'created' },
  ],
  options: {
    project: { value: 'ID', help: 'Only customers of this project' },
    search: { value: 'TEXT', help: 'A part of the account id, the name or the e-mail address' },
    plan: { value: 'ID', help: 'Only customers with this plan' },
    tag: {
      value: 'TAG',
      multiple: true,
      help: 'Only with this tag (repeatable; they must have all of them)',
    },
  },
  examples: ['npx keyward customers list', 'npx keyward customers list --search acme'],
  query: (values) => ({
    projectId: values.project,
    search: values.search,
    planId: values.plan,
    tag: values.tag,
  }),
});

const getCustomer = resourceCommand({
  words: 'customers get',
  summary: 'Show a customer',
  args: [CUSTOMER_ARGUMENT],
  options: OWN_ID_OPTION,
  examples: ['npx keyward customers get cus_…', 'npx keyward customers get acme --project prj_…'],
  run: async ({ api, out, values, args }) =>
    out.record(await api.call('getCustomer', nameOf(args, values.project))),
});

const updateCustomer = resourceCommand({
  words: 'customers update',
  summary: 'Change a customer, at once for all its keys',
  details: 'Options that are not given stay unchanged; metadata and lists are replaced as a whole.',
  args: [CUSTOMER_ARGUMENT],
  options: { ...OWN_ID_OPTION, ...CUSTOMER_OPTIONS, clear: CLEAR_OPTION(CLEARABLE) },
  examples: [
    'npx keyward customers update cus_… --plan pln_…',
    'npx keyward customers update acme --project prj_… --clear plan',
  ],
  async run({ api, out, values, args }) {
    const body = { ...cleared(values.clear, CLEARABLE), ...customerFields(values) };
    if (Object.keys(body).length === 0) throw new UsageError(NOTHING_TO_CHANGE);
    const named = nameOf(args, values.project);
    return out.record(await api.call('updateCustomer', { ...named, body }));
  },
});

const deleteCustomer = resourceCommand({
  words: 'customers delete',
  summary: 'Delete a customer; its keys stay',
  args: [CUSTOMER_ARGUMENT],
  options: OWN_ID_OPTION,
  examples: ['npx keyward customers delete cus_…'],
  async run({ api, out, values, args }) {
    const deleted = await api.call('deleteCustomer', nameOf(args, values.project));
    return out.done('Customer deleted. Its keys stay.', deleted);
  },
});

export const customerCommands: readonly Command[] = [
  createCustomer,
  listCustomers,
  getCustomer,
  updateCustomer,
  deleteCustomer,
];
