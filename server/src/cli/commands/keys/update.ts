import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import { CLEAR_OPTION, cleared, NOTHING_TO_CHANGE } from '../../clear-option.ts';
import { UsageError } from '../../failure.ts';
import { changeOptions, clearable, fieldValues } from '../../fields/options.ts';
import { resourceCommand } from '../../resource-command.ts';
import { KEY_ARGUMENT, keyPath, ownValue, VALUE_OPTION } from './key-fields.ts';

const CLEARABLE = clearable(API_KEY);

export const updateKey = resourceCommand({
  words: 'keys update',
  summary: 'Change an API key',
  details:
    'Options that are not given stay unchanged; metadata and lists are replaced as a whole. With --key, the old value stops working immediately.',
  args: [KEY_ARGUMENT],
  options: {
    ...changeOptions(API_KEY),
    ...VALUE_OPTION,
    clear: CLEAR_OPTION(CLEARABLE),
  },
  examples: [
    'npx keyward keys update key_… --name "Ada, staging"',
    'npx keyward keys update key_… --rate-limit 100/60 --clear expiry',
    'npx keyward keys update key_… --permission documents.read --permission documents.write',
  ],
  async run({ api, out, values, args, terminal }) {
    const changes = {
      ...cleared(values.clear, CLEARABLE),
      ...fieldValues(API_KEY, values),
      ...(await ownValue(terminal, values.key)),
    };
    if (Object.keys(changes).length === 0) throw new UsageError(NOTHING_TO_CHANGE);
    const path = await keyPath(terminal, args[0]!);
    const record = await api.call('updateApiKey', { path, body: changes });
    return out.record(record, 'key' in changes ? 'key' : undefined);
  },
});
