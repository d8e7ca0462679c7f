import type { Command } from '../../command.ts';
import { resourceCommand } from '../../resource-command.ts';
import { readSeconds } from '../../values.ts';
import { createKey } from './create.ts';
import { KEY_ARGUMENT, keyPath } from './key-fields.ts';
import { listKeys } from './list.ts';
import { updateKey } from './update.ts';
import { validateKey } from './validate.ts';

const getKey = resourceCommand({
  words: 'keys get',
  summary: 'Show an API key, its value masked',
  args: [KEY_ARGUMENT],
  examples: ['keyward keys get key_…', 'keyward keys get - < key.txt'],
  run: async ({ api, out, args, terminal }) =>
    out.record(await api.record('GET', await keyPath(terminal, args[0]!))),
});

const revokeKey = resourceCommand({
  words: 'keys revoke',
  summary: 'Stop an API key at once; it can be reactivated',
  args: [KEY_ARGUMENT],
  options: { permanent: { help: 'Erase the key and all that is known of it, for good' } },
  examples: ['keyward keys revoke key_…', 'keyward keys revoke key_… --permanent'],
  async run({ api, out, values, args, terminal }) {
    const query = values.permanent ? { permanent: true } : {};
    const answer = await api.call('DELETE', await keyPath(terminal, args[0]!), { query });
    return out.done(values.permanent ? 'Erased.' : 'Revoked.', answer.body);
  },
});

const reactivateKey = resourceCommand({
  words: 'keys reactivate',
  summary: 'Let a revoked API key work again',
  details: 'An expired key stays refused until its expiry is moved with keys update.',
  args: [KEY_ARGUMENT],
  examples: ['keyward keys reactivate key_…'],
  run: async ({ api, out, args, terminal }) =>
    out.record(await api.record('PATCH', `${await keyPath(terminal, args[0]!)}/reactivate`)),
});

const rotateKey = resourceCommand({
  words: 'keys rotate',
  summary: 'Replace an API key by one with a new value',
  args: [KEY_ARGUMENT],
  options: {
    grace: {
      value: 'TIME',
      help: 'How long the old value goes on working: 3600, 15m, 24h, 7d; at most 30d. Default: not at all',
    },
  },
  examples: ['keyward keys rotate key_…', 'keyward keys rotate key_… --grace 24h'],
  async run({ api, out, values, args, terminal }) {
    const graceSeconds = readSeconds(values.grace ?? '0', '--grace');
    const path = `${await keyPath(terminal, args[0]!)}/rotate`;
    return out.record(await api.record('POST', path, { body: { graceSeconds } }), 'key');
  },
});

export const keyCommands: readonly Command[] = [
  createKey,
  listKeys,
  getKey,
  updateKey,
  revokeKey,
  reactivateKey,
  rotateKey,
  validateKey,
];
