import { CLEAR_OPTION, cleared, NOTHING_TO_CHANGE } from '../../clear-option.ts';
import { UsageError } from '../../failure.ts';
import { resourceCommand } from '../../resource-command.ts';
import { CLEARABLE_CREDITS } from '../plans/credit-options.ts';
import { CLEARABLE_POLICIES } from '../plans/policy-options.ts';
import { KEY_ARGUMENT, KEY_FIELD_OPTIONS, keyFields, keyPath } from './key-fields.ts';

const CLEARABLE = {
  expiry: 'expiry',
  'rate-limit': 'rateLimitConfigs',
  domain: 'allowedDomains',
  plan: 'planId',
  ...CLEARABLE_POLICIES,
  ...CLEARABLE_CREDITS,
  starts: 'startsAt',
  tag: 'tags',
  'account-id': 'customAccountId',
  'user-id': 'customUserId',
};

export const updateKey = resourceCommand({
  words: 'keys update',
  summary: 'Change an API key',
  details:
    'Options that are not given stay unchanged; metadata and lists are replaced as a whole. With --key, the old value stops working immediately.',
  args: [KEY_ARGUMENT],
  options: {
    name: { value: 'NAME', help: 'Display name' },
    ...KEY_FIELD_OPTIONS,
    clear: CLEAR_OPTION(CLEARABLE),
  },
  examples: [
    'npx keyward keys update key_… --name "Ada, staging"',
    'npx keyward keys update key_… --rate-limit 100/60 --clear expiry',
    'npx keyward keys update key_… --permission documents.read --permission documents.write',
  ],
  async run({ api, out, values, args, terminal }) {
    const changes = { ...cleared(values.clear, CLEARABLE), ...(await keyFields(values, terminal)) };
    if (values.name === undefined && Object.keys(changes).length === 0)
      throw new UsageError(NOTHING_TO_CHANGE);
    const path = await keyPath(terminal, args[0]!);
    // The API requires the name in every update; a person should not have to repeat it.
    const name = values.name ?? (await api.call('getApiKey', { path })).name;
    const record = await api.call('updateApiKey', { path, body: { ...changes, name } });
    return out.record(record, 'key' in changes ? 'key' : undefined);
  },
});
