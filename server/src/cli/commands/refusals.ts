import type { Command } from '../command.ts';
import { KEY_OPTIONS, TIME_OPTIONS } from '../filter-options.ts';
import { followList } from '../follow.ts';
import { listCommand } from '../listing.ts';
import type { Column } from '../terminal/table.ts';

const COLUMNS: readonly Column[] = [
  { field: 'time', title: 'time' },
  { field: 'keyId', title: 'key', whole: true },
  { field: 'code', title: 'code' },
  { field: 'limit', title: 'limit' },
  { field: 'missing', title: 'missing' },
  { field: 'clientIP', title: 'client' },
  { field: 'origin', title: 'origin' },
  { field: 'cost', title: 'cost' },
  { field: 'accessKeyId', title: 'access key' },
];

const refusals = listCommand({
  words: 'refusals',
  summary: 'List refused validations, newest first, or follow them',
  details:
    'Samples of the last 7 days: at most 10 a minute for each key on each node. `npx keyward usage --by outcome` counts all.',
  operation: 'listRefusals',
  columns: COLUMNS,
  options: {
    ...KEY_OPTIONS,
    code: { value: 'CODE', help: 'Only this reason, such as rate_limited or key_expired' },
    ...TIME_OPTIONS,
  },
  examples: [
    'npx keyward refusals --follow',
    'npx keyward refusals --key key_… --code rate_limited',
    'npx keyward refusals --customer customer-42 --from 2030-01-01 --all --json',
  ],
  query: ({ project, key, customer, code, from, to }) => ({
    projectId: project,
    key,
    customAccountId: customer,
    code,
    from,
    to,
  }),
  instead: (call, filter) =>
    call.values.follow
      ? followList(call, filter, { operation: 'listRefusals', timeField: 'time', columns: COLUMNS })
      : null,
});

export const refusalCommands: readonly Command[] = [refusals];
