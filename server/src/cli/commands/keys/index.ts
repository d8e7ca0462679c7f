import type { Command } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { resourceCommand } from '../../resource-command.ts';
import { cell } from '../../terminal/cell.ts';
import { confirm, readSeconds } from '../../values.ts';
import { createKey } from './create.ts';
import { explainKey } from './explain.ts';
import { KEY_ARGUMENT, keyPath } from './key-fields.ts';
import { countKeys, listKeys } from './list.ts';
import { updateKey } from './update.ts';
import { validateKey } from './validate.ts';

const getKey = resourceCommand({
  words: 'keys get',
  summary: 'Show an API key, its value masked',
  args: [KEY_ARGUMENT],
  options: {
    effective: { help: 'Also show the settings that apply through its customer and its plan' },
  },
  examples: [
    'npx keyward keys get key_…',
    'npx keyward keys get key_… --effective --json',
    'npx keyward keys get - < key.txt',
  ],
  async run({ api, out, values, args, terminal }) {
    const query = values.effective ? { effective: true } : {};
    const path = await keyPath(terminal, args[0]!);
    return out.record(await api.call('getApiKey', { path, query }));
  },
});

const revokeKey = resourceCommand({
  words: 'keys revoke',
  summary: 'Revoke an API key; it can be reactivated',
  details: 'To delete a key permanently, use `npx keyward keys delete`.',
  args: [KEY_ARGUMENT],
  examples: ['npx keyward keys revoke key_…', 'npx keyward keys revoke - < key.txt'],
  async run({ api, out, args, terminal }) {
    const path = await keyPath(terminal, args[0]!);
    return out.done('Revoked.', await api.call('deleteApiKey', { path }));
  },
});

const deleteKey = resourceCommand({
  words: 'keys delete',
  summary: 'Delete an API key and its usage permanently',
  details:
    'This cannot be undone. To be able to reactivate the key, use `npx keyward keys revoke`.',
  args: [KEY_ARGUMENT],
  options: {
    permanent: { help: 'Required, because the key is deleted, not only revoked' },
    yes: { help: 'Do not ask for confirmation' },
  },
  examples: [
    'npx keyward keys delete key_… --permanent',
    'npx keyward keys delete key_… --permanent --yes',
  ],
  async run({ api, out, values, args, terminal }) {
    if (!values.permanent)
      throw new UsageError(
        'keys delete deletes a key permanently: add --permanent, or use `npx keyward keys revoke`',
      );
    const path = await keyPath(terminal, args[0]!);
    const { id, name } = await api.call('getApiKey', { path });
    await confirm(terminal, values.yes, `${cell(name)} (${cell(id)}) will be deleted permanently.`);
    const erased = await api.call('deleteApiKey', { path, query: { permanent: true } });
    return out.done(`Deleted permanently: ${cell(name)} (${cell(id)}).`, erased);
  },
});

const reactivateKey = resourceCommand({
  words: 'keys reactivate',
  summary: 'Reactivate a revoked API key',
  details: 'An expired key is refused until you change its expiry with keys update.',
  args: [KEY_ARGUMENT],
  examples: ['npx keyward keys reactivate key_…'],
  run: async ({ api, out, args, terminal }) =>
    out.record(await api.call('reactivateApiKey', { path: await keyPath(terminal, args[0]!) })),
});

const rotateKey = resourceCommand({
  words: 'keys rotate',
  summary: 'Replace an API key with a new value',
  args: [KEY_ARGUMENT],
  options: {
    grace: {
      value: 'TIME',
      help: 'How long the old value stays valid: 3600, 15m, 24h, 7d; at most 30d. Default: 0',
    },
  },
  examples: ['npx keyward keys rotate key_…', 'npx keyward keys rotate key_… --grace 24h'],
  async run({ api, out, values, args, terminal }) {
    const graceSeconds = readSeconds(values.grace ?? '0', '--grace');
    const path = await keyPath(terminal, args[0]!);
    return out.record(await api.call('rotateApiKey', { path, body: { graceSeconds } }), 'key');
  },
});

export const keyCommands: readonly Command[] = [
  createKey,
  listKeys,
  countKeys,
  getKey,
  updateKey,
  revokeKey,
  deleteKey,
  reactivateKey,
  rotateKey,
  validateKey,
  explainKey,
];
