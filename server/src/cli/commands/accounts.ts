import type { Command } from '../command.ts';
import { listCommand } from '../listing.ts';
import { resourceCommand } from '../resource-command.ts';
import { NEW_NAME, readNewName } from '../values.ts';

const listAccounts = listCommand({
  words: 'accounts list',
  summary: 'List accounts: all for the operator, its own for an access key',
  operator: 'allowed',
  operation: 'listAccounts',
  columns: [
    { field: 'id', title: 'id', whole: true },
    { field: 'name', title: 'name' },
    { field: 'isActive', title: 'active' },
    { field: 'createdAt', title: 'created' },
  ],
  options: {},
  examples: [
    'npx keyward accounts list',
    'npx keyward accounts list --operator --data-dir /var/lib/keyward',
  ],
  query: () => ({}),
});

const createAccount = resourceCommand({
  words: 'accounts create',
  summary: 'Create an account, as the operator',
  details: 'An access key belongs to one account and cannot create another.',
  operator: 'only',
  options: { name: { value: 'NAME', help: 'Display name', required: true } },
  examples: [
    'npx keyward accounts create --name Acme',
    'npx keyward access-keys create --name first --account acc_…',
  ],
  run: async ({ api, out, values }) =>
    out.record(await api.call('createAccount', { body: { name: values.name } })),
});

const renameAccount = resourceCommand({
  words: 'accounts rename',
  summary: 'Rename an account',
  operator: 'allowed',
  args: [{ name: 'ACCOUNT', help: 'The id of the account (acc_…)' }, NEW_NAME.argument],
  options: NEW_NAME.option,
  examples: ['npx keyward accounts rename acc_… --name "Acme Ltd"'],
  async run({ api, out, values, args }) {
    const body = { name: readNewName(values.name, args[1]) };
    return out.record(await api.call('updateAccount', { path: { id: args[0]! }, body }));
  },
});

export const accountCommands: readonly Command[] = [listAccounts, createAccount, renameAccount];
