import { CLEAR_OPTION, cleared, NOTHING_TO_CHANGE } from '../clear-option.ts';
import type { Command, OptionSpecs, ValuesOf } from '../command.ts';
import { UsageError } from '../failure.ts';
import { listCommand, readActive } from '../listing.ts';
import { resourceCommand } from '../resource-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readRateLimit, readSeconds, readSecretArgument, withoutUndefined } from '../values.ts';
import { ACCOUNT_OPTION, namedAccount } from './account-option.ts';

const ACCESS_KEY_ARGUMENT = {
  name: 'ACCESS-KEY',
  help: 'The id (ak_…) or the value of the access key; - reads it from standard input',
};

const pathOf = async (terminal: Terminal, argument: string) => ({
  key: await readSecretArgument(terminal, argument),
});

/** Options of both create and update. */
const ACCESS_KEY_FIELDS = {
  scope: {
    value: 'SCOPE',
    multiple: true,
    help: 'A scope, such as keys:validate or keys:write (repeatable). Default for a new access key: all scopes',
  },
  expiry: {
    value: 'TIME',
    help: '2030-01-01, 2030-01-01T12:00:00Z or "2030-01-01 12:00:00" (UTC)',
  },
  'rate-limit': { value: 'N/SECONDS', help: '10/60: ten calls a minute' },
} as const satisfies OptionSpecs;

const CLEARABLE = { expiry: 'expiry', 'rate-limit': 'rateLimitConfigs' };

function accessKeyFields(values: ValuesOf<typeof ACCESS_KEY_FIELDS>): Record<string, unknown> {
  const limit = values['rate-limit'];
  return withoutUndefined({
    scopes: values.scope,
    expiry: values.expiry,
    rateLimitConfigs: limit === undefined ? undefined : readRateLimit(limit),
  });
}

const createAccessKey = resourceCommand({
  words: 'access-keys create',
  summary: 'Create an access key and show its value once',
  operator: 'allowed',
  options: {
    name: { value: 'NAME', help: 'Display name', required: true },
    account: ACCOUNT_OPTION,
    project: { value: 'ID', help: 'Only for this project (prj_…). Default: the whole account' },
    ...ACCESS_KEY_FIELDS,
  },
  examples: [
    'npx keyward access-keys create --name gateway --scope keys:validate',
    'npx keyward access-keys create --name recovered --account acc_…',
  ],
  async run({ api, out, values, asOperator }) {
    const body = {
      ...withoutUndefined({
        name: values.name,
        accountId: namedAccount(values.account, asOperator),
        projectId: values.project,
      }),
      ...accessKeyFields(values),
    };
    return out.record(await api.call('createAccessKey', { body }), 'key');
  },
});

const listAccessKeys = listCommand({
  words: 'access-keys list',
  summary: 'List access keys, newest first',
  operator: 'allowed',
  operation: 'listAccessKeys',
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
    name: { value: 'NAME', help: 'Display name' },
    ...ACCESS_KEY_FIELDS,
    clear: CLEAR_OPTION(CLEARABLE),
  },
  examples: [
    'npx keyward access-keys update ak_… --name gateway --scope keys:validate',
    'npx keyward access-keys update ak_… --clear expiry',
  ],
  async run({ api, out, values, args, terminal }) {
    const body = {
      ...cleared(values.clear, CLEARABLE),
      ...withoutUndefined({ name: values.name }),
      ...accessKeyFields(values),
    };
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
