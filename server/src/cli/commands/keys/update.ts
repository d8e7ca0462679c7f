import { UsageError } from '../../failure.ts';
import { resourceCommand } from '../../resource-command.ts';
import { KEY_ARGUMENT, KEY_FIELD_OPTIONS, keyFields, keyPath } from './key-fields.ts';

const CLEARABLE: Record<string, string> = {
  expiry: 'expiry',
  'rate-limit': 'rateLimitConfigs',
  domain: 'allowedDomains',
  'account-id': 'customAccountId',
  'user-id': 'customUserId',
};

export const updateKey = resourceCommand({
  words: 'keys update',
  summary: 'Change an API key',
  details:
    'What is not named stays as it is; --metadata is replaced whole. With --key the old value stops working at once.',
  args: [KEY_ARGUMENT],
  options: {
    name: { value: 'NAME', help: 'For people to read' },
    ...KEY_FIELD_OPTIONS,
    clear: {
      value: 'FIELD',
      multiple: true,
      help: `Unset one of: ${Object.keys(CLEARABLE).join(', ')} (repeatable)`,
    },
  },
  examples: [
    'keyward keys update key_… --name "Ada, staging"',
    'keyward keys update key_… --rate-limit 100/60 --clear expiry',
  ],
  async run({ api, out, values, args, terminal }) {
    const changes = { ...cleared(values.clear ?? []), ...(await keyFields(values, terminal)) };
    if (values.name === undefined && Object.keys(changes).length === 0)
      throw new UsageError('there is nothing to change: name at least one option');
    const path = await keyPath(terminal, args[0]!);
    // The interface asks for the name in every update; a person should not have to repeat it.
    const name = values.name ?? (await api.record('GET', path)).name;
    const record = await api.record('PATCH', path, { body: { ...changes, name } });
    return out.record(record, 'key' in changes ? 'key' : undefined);
  },
});

function cleared(fields: readonly string[]): Record<string, null> {
  return Object.fromEntries(
    fields.map((field) => {
      const name = CLEARABLE[field];
      if (name === undefined)
        throw new UsageError(`--clear takes ${Object.keys(CLEARABLE).join(', ')}; not ${field}`);
      return [name, null];
    }),
  );
}
