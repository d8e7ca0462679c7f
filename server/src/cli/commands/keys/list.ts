import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import type { OptionSpecs, ValuesOf } from '../../command.ts';
import { filterOptions, filterValues } from '../../fields/filters.ts';
import { PROJECT_OPTION } from '../../filter-options.ts';
import { listCommand, readActive } from '../../listing.ts';
import { resourceCommand } from '../../resource-command.ts';

const FILTERS = {
  project: PROJECT_OPTION,
  ...filterOptions(API_KEY, 'keys'),
  active: { value: 'yes|no', help: 'Only active, or only revoked' },
} as const satisfies OptionSpecs;

const filterQuery = (values: ValuesOf<typeof FILTERS>) => ({
  projectId: values.project,
  ...filterValues(API_KEY, values),
  isActive: readActive(values.active),
});

export const listKeys = listCommand({
  words: 'keys list',
  summary: 'List API keys, newest first',
  operation: 'listApiKeys',
  fields: API_KEY,
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
