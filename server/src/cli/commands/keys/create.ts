import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import { fieldOptions, fieldValues } from '../../fields/options.ts';
import { resourceCommand } from '../../resource-command.ts';
import { ownValue, VALUE_OPTION } from './key-fields.ts';

export const createKey = resourceCommand({
  words: 'keys create',
  summary: 'Create an API key and show its value once',
  options: {
    ...fieldOptions(API_KEY),
    project: {
      value: 'ID',
      help: 'The project (prj_…). Default: that of the access key, else the only active one',
    },
    ...VALUE_OPTION,
  },
  examples: [
    'npx keyward keys create --name "Ada, production"',
    'npx keyward keys create --name trial --expiry 2030-01-01 --rate-limit 10/60',
    `npx keyward keys create --name web --domain app.example.com --metadata '{"plan":"pro"}'`,
    "npx keyward keys create --name reports --permission 'reports.*' --allow-ip 10.0.0.0/8 --tag eu",
    'npx keyward keys create --name ci --json | jq -r .key',
  ],
  async run({ api, out, values, terminal }) {
    const body = {
      projectId: values.project,
      ...fieldValues(API_KEY, values),
      ...(await ownValue(terminal, values.key)),
    };
    return out.record(await api.call('createApiKey', { body }), 'key');
  },
});
