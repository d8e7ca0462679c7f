import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import { CLEAR_OPTION, cleared, NOTHING_TO_CHANGE } from '../../clear-option.ts';
import type { Command, OptionSpecs } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { filterOptions, filterValues } from '../../fields/filters.ts';
import { changeOptions, clearable, fieldOptions, fieldValues } from '../../fields/options.ts';
import { listCommand } from '../../listing.ts';
import { resourceCommand } from '../../resource-command.ts';

const CUSTOMER_ARGUMENT = {
  name: 'CUSTOMER',
  help: 'The id of the customer (cus_…); with --project, your own id',
};

const OWN_ID_OPTION = {
  project: { value: 'ID', help: 'The project (prj_…), if CUSTOMER is your own id' },
} as const satisfies OptionSpecs;

const CLEARABLE = clearable(CUSTOMER);

const nameOf = (args: readonly string[], projectId: string | undefined) => ({
  path: { id: args[0]! },
  query: { projectId },
});

const createCustomer = resourceCommand({
  words: 'customers create',
  summary: 'Create a customer: settings for all keys with the same --account-id',
  options: {
    ...fieldOptions(CUSTOMER),
    project: { value: 'ID', help: 'The project (prj_…). Default: that of the access key' },
  },
  examples: [
    'npx keyward customers create --account-id acme --name "Acme Inc." --plan pln_…',
    'npx keyward customers create --account-id acme --limit day=50000/1d,customer --refill 1000/month',
  ],
  async run({ api, out, values }) {
    const body = { projectId: values.project, ...fieldValues(CUSTOMER, values) };
    return out.record(await api.call('createCustomer', { body }));
  },
});

const listCustomers = listCommand({
  words: 'customers list',
  summary: 'List customers, newest first',
  operation: 'listCustomers',
  fields: CUSTOMER,
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
    ...filterOptions(CUSTOMER, 'customers'),
  },
  examples: ['npx keyward customers list', 'npx keyward customers list --search acme'],
  query: (values) => ({
    projectId: values.project,
    search: values.search,
    ...filterValues(CUSTOMER, values),
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
  options: { ...OWN_ID_OPTION, ...changeOptions(CUSTOMER), clear: CLEAR_OPTION(CLEARABLE) },
  examples: [
    'npx keyward customers update cus_… --plan pln_…',
    'npx keyward customers update acme --project prj_… --clear plan',
  ],
  async run({ api, out, values, args }) {
    const body = { ...cleared(values.clear, CLEARABLE), ...fieldValues(CUSTOMER, values) };
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
