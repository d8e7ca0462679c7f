import type { OptionSpecs, ValuesOf } from '../../command.ts';
import { listCommand, readActive } from '../../listing.ts';
import { resourceCommand } from '../../resource-command.ts';

const FILTERS = {
  project: { value: 'ID', help: 'Only keys of this project' },
  name: { value: 'NAME', help: 'Only keys with exactly this name' },
  'account-id': { value: 'ID', help: 'Only keys of this customer; null: without a customer' },
  'user-id': { value: 'ID', help: 'Only keys of this user; null: without a user' },
  tag: {
    value: 'TAG',
    multiple: true,
    help: 'Only keys with this tag (repeatable; they must have all of them)',
  },
  plan: { value: 'ID', help: 'Only keys on which this plan is set' },
  active: { value: 'yes|no', help: 'Only active, or only revoked' },
} as const satisfies OptionSpecs;

const filterQuery = (values: ValuesOf<typeof FILTERS>) => ({
  projectId: values.project,
  name: values.name,
  customAccountId: values['account-id'],
  customUserId: values['user-id'],
  planId: values.plan,
  tag: values.tag,
  isActive: readActive(values.active),
});

export const listKeys = listCommand({
  words: 'keys list',
  summary: 'List API keys, newest first',
  operation: 'listApiKeys',
  columns: [
    { field: 'id', title: 'id', whole: true },
    { field: 'name', title: 'name' },
    { field: 'key', title: 'key' },
    { field: 'env', title: 'env' },
    { field: 'isActive', title: 'active' },
    { field: 'permissions', title: 'permissions' },
    { field: 'tags', title: 'tags' },
    { field: 'rateLimitConfigs', title: 'limit' },
    { field: 'limits', title: 'limits' },
    { field: 'expiresAt', title: 'expires' },
    { field: 'lastUsedAt', title: 'last used' },
  ],
  options: FILTERS,
  examples: [
    'npx keyward keys list',
    'npx keyward keys list --active no --limit 200',
    'npx keyward keys list --tag beta --tag eu',
    'npx keyward keys list --all --json > keys.json',
  ],
  query: filterQuery,
});

export const countKeys = resourceCommand({
  words: 'keys count',
  summary: 'Count API keys',
  options: FILTERS,
  examples: ['npx keyward keys count', 'npx keyward keys count --active no'],
  run: async ({ api, out, values }) =>
    out.record(await api.call('countApiKeys', { query: filterQuery(values) })),
});
