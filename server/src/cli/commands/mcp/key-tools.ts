import type { ApiKey } from 'keyward';
import { CreateApiKey, ListApiKeys, RotateApiKey } from '../../../features/api-keys/schema.ts';
import { strict } from '../../../kernel/schemas.ts';
import type { Api } from '../../api.ts';
import type { NewValues } from './new-values.ts';
import { keyInput, listPage, pageInput, withoutPage } from './tool-inputs.ts';
import type { ToolSet } from './tool-set.ts';

/** An agent that chose the value would know it. */
const { key: _value, ...createInput } = CreateApiKey.properties;

/** `"Ada" (key_…)`: a change always names what it changed. */
const label = ({ name, id }: ApiKey): string => `${JSON.stringify(name)} (${id})`;

export function addKeyTools(tools: ToolSet, api: Api, newValues: NewValues): void {
  tools.add({
    name: 'list_keys',
    title: 'List API keys',
    description: 'Lists API keys, newest first, with their values masked. Filters are combined.',
    effect: 'reads',
    input: strict({ ...withoutPage(ListApiKeys.properties), ...pageInput }),
    run: (input) => listPage(api, 'listApiKeys', input),
  });

  tools.add({
    name: 'create_key',
    title: 'Create an API key',
    description: 'Creates an API key. Fields that are left out come from its plan and project.',
    effect: 'adds',
    input: strict(createInput),
    async run(body) {
      const { key, note } = await newValues.keep(() => api.call('createApiKey', { body }));
      return { summary: `Created ${label(key)}. ${note}`, data: key };
    },
  });

  tools.add({
    name: 'rotate_key',
    title: 'Rotate an API key',
    description:
      'Replaces a key with a new one that has the same settings and a new value. The old value stops working at once, or after graceSeconds.',
    effect: 'destroys',
    input: strict({ key: keyInput, ...RotateApiKey.properties }),
    async run({ key: old, graceSeconds = 0 }) {
      const { key, note } = await newValues.keep(() =>
        api.call('rotateApiKey', { path: { key: old }, body: { graceSeconds } }),
      );
      const end = graceSeconds === 0 ? 'is refused from now on' : `is valid for ${graceSeconds} s`;
      const summary = `Rotated: ${label(key)} replaces ${key.rotatedFrom}, whose value ${end}. ${note}`;
      return { summary, data: key };
    },
  });

  tools.add({
    name: 'revoke_key',
    title: 'Revoke an API key',
    description: 'Revokes a key: it is refused from now on. It can be reactivated later.',
    effect: 'destroys',
    input: strict({ key: keyInput }),
    async run({ key }) {
      const path = { key };
      const found = await api.call<ApiKey>('getApiKey', { path });
      await api.call('deleteApiKey', { path: { key: found.id } });
      return {
        summary: `Revoked ${label(found)}. It is refused from now on.`,
        data: await api.call('getApiKey', { path: { key: found.id } }),
      };
    },
  });
}
