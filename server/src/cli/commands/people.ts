import type { Api } from '../api.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../failure.ts';
import { listCommand } from '../listing.ts';
import { resourceCommand } from '../resource-command.ts';
import type { Row } from '../terminal/table.ts';

const ownerLink = resourceCommand({
  words: 'owner-link',
  summary: 'Create a one-time link for an owner of an account, as the operator',
  details:
    'The link printed at the first start works once, within seven days. This creates a new link and revokes unused ones.',
  operator: 'only',
  options: {
    account: { value: 'ID', help: 'The account (acc_…). Default: the only account' },
  },
  examples: ['npx keyward owner-link', 'npx keyward owner-link --account acc_…'],
  async run({ api, out, values }) {
    const account = values.account ?? (await onlyAccount(api));
    return out.record(await api.call('createOwnerLink', { path: { id: account } }), 'link');
  },
});

async function onlyAccount(api: Api): Promise<string> {
  const accounts = await api.call<Row[]>('listAccounts', { query: { limit: 2 } });
  if (accounts.length !== 1)
    throw new UsageError('there is more than one account: choose one with --account');
  return String(accounts[0]!.id);
}

const listPeople = listCommand({
  words: 'people list',
  summary: 'List the members of the account, newest first',
  operation: 'listTeammates',
  columns: [
    { field: 'id', title: 'id', whole: true },
    { field: 'name', title: 'name' },
    { field: 'email', title: 'email' },
    { field: 'role', title: 'role' },
    { field: 'projectIds', title: 'projects' },
    { field: 'twoFactorEnabled', title: 'two-factor' },
  ],
  options: { project: { value: 'ID', help: 'Only users with access to this project' } },
  examples: ['npx keyward people list', 'npx keyward people list --project prj_…'],
  query: (values) => ({ projectId: values.project }),
});

const removePerson = resourceCommand({
  words: 'people remove',
  summary: 'Remove a user from the account, or from one project',
  details:
    'With --project, the user loses access to that project only. Removing the last project ends the membership.',
  args: [{ name: 'USER', help: 'The id (usr_…)' }],
  options: { project: { value: 'ID', help: 'Remove from this project only (prj_…)' } },
  examples: ['npx keyward people remove usr_…', 'npx keyward people remove usr_… --project prj_…'],
  async run({ api, out, args, values }) {
    const input = { path: { id: args[0]! }, query: { projectId: values.project } };
    return out.done('Removed.', await api.call('deleteUserRole', input));
  },
});

const USER = [{ name: 'USER', help: 'The email address or the id (usr_…)' }];

const resetPassword = resourceCommand({
  words: 'people reset-password',
  summary: 'Create a one-time link to set a new password, as the operator',
  operator: 'only',
  args: USER,
  examples: ['npx keyward people reset-password ada@example.com'],
  async run({ api, out, args }) {
    return out.record(await api.call('createPasswordLink', { path: { id: args[0]! } }), 'link');
  },
});

const resetSecondFactor = resourceCommand({
  words: 'people reset-second-factor',
  summary: 'Turn off a lost second factor and end all sessions, as the operator',
  operator: 'only',
  args: USER,
  examples: ['npx keyward people reset-second-factor ada@example.com'],
  async run({ api, out, args }) {
    const removed = await api.call('deleteSecondFactor', { path: { id: args[0]! } });
    return out.done('The second factor is off, and every session has ended.', removed);
  },
});

export const peopleCommands: readonly Command[] = [
  ownerLink,
  listPeople,
  removePerson,
  resetPassword,
  resetSecondFactor,
];
