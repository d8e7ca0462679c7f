import type { Command } from '../command.ts';
import { listCommand } from '../listing.ts';
import { resourceCommand } from '../resource-command.ts';

const listAccounts = listCommand({
  words: 'accounts list',
  summary: 'List accounts: all for the operator, its own for an access key',
  operator: 'allowed',
  path: '/accounts',
  columns: [
    { field: 'id', title: 'id', whole: true },
    { field: 'name', title: 'name' },
    { field: 'isActive', title: 'active' },
    { field: 'createdAt', title: 'created' },
  ],
  options: {},
  examples: [
    'keyward accounts list',
    'keyward accounts list --operator --data-dir /var/lib/keyward',
  ],
  query: () => ({}),
});

const createAccount = resourceCommand({
  words: 'accounts create',
  summary: 'Make an account, as the operator',
  details: 'An access key belongs to one account for good and cannot make another.',
  operator: 'only',
  options: { name: { value: 'NAME', help: 'For people to read', required: true } },
  examples: [
    'keyward accounts create --name Acme',
    'keyward access-keys create --name first --account acc_…',
  ],
  run: async ({ api, out, values }) =>
    out.record(await api.record('POST', '/accounts', { body: { name: values.name } })),
});

const renameAccount = resourceCommand({
  words: 'accounts rename',
  summary: 'Give an account another name',
  operator: 'allowed',
  args: [
    { name: 'ACCOUNT', help: 'The id of the account (acc_…)' },
    { name: 'NAME', help: 'The new name' },
  ],
  examples: ['keyward accounts rename acc_… "Acme Ltd"'],
  async run({ api, out, args }) {
    const path = `/accounts/${encodeURIComponent(args[0]!)}`;
    return out.record(await api.record('PATCH', path, { body: { name: args[1] } }));
  },
});

export const accountCommands: readonly Command[] = [listAccounts, createAccount, renameAccount];
