import { ACCESS_KEY } from '@keyward/rules/resources/access-key.ts';
import { CLEAR_OPTION, cleared, NOTHING_TO_CHANGE } from '../clear-option.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../failure.ts';
import { changeOptions, clearable, fieldOptions, fieldValues } from '../fields/options.ts';
import { listCommand, readActive } from '../listing.ts';
import { resourceCommand } from '../resource-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readSeconds, readSecretArgument } from '../values.ts';
import { ACCOUNT_OPTION, namedAccount } from './account-option.ts';

const ACCESS_KEY_ARGUMENT = {
  name: 'ACCESS-KEY',
  help: 'The id (ak_…) or the value of the access key; - reads it from standard input',
};

const pathOf = async (terminal: Terminal, argument: string) => ({
  key: await readSecretArgument(terminal, argument),
});

const CLEARABLE = clearable(ACCESS_KEY);

const createAccessKey = resourceCommand({
  words: 'access-keys create',
  summary: 'Create an access key and show its value once',
  operator: 'allowed',
  options: {
    ...fieldOptions(ACCESS_KEY),
    account: ACCOUNT_OPTION,
    project: { value: 'ID', help: 'Only for this project (prj_…). Default: the whole account' },
  },
  examples: [
    'npx keyward access-keys create --name gateway --scope keys:validate',
    'npx keyward access-keys create --name recovered --account acc_…',
  ],
  async run({ api, out, values, asOperator }) {
    const body = {
      accountId: namedAccount(values.account, asOperator),
      projectId: values.project,
      ...fieldValues(ACCESS_KEY, values),
    };
    return out.record(await api.call('createAccessKey', { body }), 'key');
  },
});

const listAccessKeys = listCommand({
  words: 'access-keys list',
  summary: 'List access keys, newest first',
  operator: 'allowed',
  operation: 'listAccessKeys',
  fields: ACCESS_KEY,
  columns: [
    { field: 'id', title: 'id', whole: true },
    { field: 'name', title: 'name' },
    { field: 'key', title: 'key' },
    { field: 'projectId', title: 'project' },
    { field: 'scopes', title: 'scopes' },
    { field: 'isActive', title: 'active' },
    { field: 'expiresAt', title: 'expires' },
    { field: 'lastUsedAt', title: 'last used' },
  ],
  options: {
    account: ACCOUNT_OPTION,
    project: {
      value: 'ID',
      help: 'Only access keys of this project; null: only of the whole account',
    },
    active: { value: 'yes|no', help: 'Only active, or only revoked' },
  },
  examples: [
    'npx keyward access-keys list',
    'npx keyward access-keys list --account acc_… --active yes',
  ],
  query: (values, { asOperator }) => ({
    accountId: namedAccount(values.account, asOperator),
    projectId: values.project,
    isActive: readActive(values.active),
  }),
});

const getAccessKey = resourceCommand({
  words: 'access-keys get',
  summary: 'Show an access key, its value masked',
  operator: 'allowed',
  args: [ACCESS_KEY_ARGUMENT],
  examples: ['npx keyward access-keys get ak_…'],
  run: async ({ api, out, args, terminal }) =>
    out.record(await api.call('getAccessKey', { path: await pathOf(terminal, args[0]!) })),
});

const updateAccessKey = resourceCommand({
  words: 'access-keys update',
  summary: 'Change an access key',
  details: 'Options that are not given stay unchanged; scopes are replaced as a whole.',
  operator: 'allowed',
  args: [ACCESS_KEY_ARGUMENT],
  options: {
    ...changeOptions(ACCESS_KEY),
    clear: CLEAR_OPTION(CLEARABLE),
  },
  examples: [
    'npx keyward access-keys update ak_… --name gateway --scope keys:validate',
    'npx keyward access-keys update ak_… --clear expiry',
  ],
  async run({ api, out, values, args, terminal }) {
    const body = { ...cleared(values.clear, CLEARABLE), ...fieldValues(ACCESS_KEY, values) };
    if (Object.keys(body).length === 0) throw new UsageError(NOTHING_TO_CHANGE);
    const path = await pathOf(terminal, args[0]!);
    return out.record(await api.call('updateAccessKey', { path, body }));
  },
});

const revokeAccessKey = resourceCommand({
  words: 'access-keys revoke',
  summary: 'Revoke an access key; it can be reactivated',
  operator: 'allowed',
  args: [ACCESS_KEY_ARGUMENT],
  examples: ['npx keyward access-keys revoke ak_…'],
  async run({ api, out, args, terminal }) {
    const path = await pathOf(terminal, args[0]!);
    return out.done('Revoked.', await api.call('deleteAccessKey', { path }));
  },
});

const reactivateAccessKey = resourceCommand({
  words: 'access-keys reactivate',
  summary: 'Reactivate a revoked access key',
  operator: 'allowed',
  args: [ACCESS_KEY_ARGUMENT],
  examples: ['npx keyward access-keys reactivate ak_…'],
  run: async ({ api, out, args, terminal }) =>
    out.record(await api.call('reactivateAccessKey', { path: await pathOf(terminal, args[0]!) })),
});

const rotateAccessKey = resourceCommand({
  words: 'access-keys rotate',
  summary: 'Replace an access key with a new value',
  operator: 'allowed',
  args: [ACCESS_KEY_ARGUMENT],
  options: {
    grace: {
      value: 'TIME',
      help: 'How long the old value stays valid: 3600, 15m, 24h, 7d; at most 30d. Default: 0',
    },
  },
  examples: ['npx keyward access-keys rotate ak_… --grace 15m'],
  async run({ api, out, values, args, terminal }) {
    const graceSeconds = readSeconds(values.grace ?? '0', '--grace');
    const path = await pathOf(terminal, args[0]!);
    return out.record(await api.call('rotateAccessKey', { path, body: { graceSeconds } }), 'key');
  },
});

export const accessKeyCommands: readonly Command[] = [
  createAccessKey,
  listAccessKeys,
  getAccessKey,
  updateAccessKey,
  revokeAccessKey,
  reactivateAccessKey,
  rotateAccessKey,
];
