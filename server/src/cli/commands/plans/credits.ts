import { isIdOf } from '../../../kernel/ids.ts';
import type { Command } from '../../command.ts';
import { type ResourceCall, resourceCommand } from '../../resource-command.ts';
import { readInteger, readSecretArgument } from '../../values.ts';

const ARGUMENTS = [
  {
    name: 'OWNER',
    help: 'A key (id or value; - reads it from standard input) or a customer (cus_…; with --project, your own id)',
  },
  { name: 'N', help: 'A number of credits' },
] as const;

const OPTIONS = {
  project: { value: 'ID', help: 'The project (prj_…), if OWNER is your own id of a customer' },
  'idempotency-key': {
    value: 'TEXT',
    help: 'Unique id of this change, such as an order number. Running the command again with the same id does not apply it twice',
  },
} as const;

type Values = { readonly project?: string; readonly 'idempotency-key'?: string };

async function change(
  { api, out, values, args, terminal }: ResourceCall<Values>,
  bodyOf: (credits: number) => object,
): Promise<undefined> {
  const [owner = '', number = ''] = args;
  const body = bodyOf(readInteger(number, 'N'));
  const { project: projectId, 'idempotency-key': idempotencyKey } = values;
  if (projectId !== undefined || isIdOf('cus', owner)) {
    const named = { path: { id: owner }, query: { projectId } };
    return out.record(await api.call('changeCustomerCredits', { ...named, body, idempotencyKey }));
  }
  const path = { key: await readSecretArgument(terminal, owner) };
  return out.record(await api.call('changeApiKeyCredits', { path, body, idempotencyKey }));
}

const DETAILS = 'Creates the credits if the key or customer has none of its own.';

export const creditCommands: readonly Command[] = [
  resourceCommand({
    words: 'credits add',
    summary: 'Add credits to a key or customer',
    details: DETAILS,
    args: ARGUMENTS,
    options: OPTIONS,
    examples: [
      'npx keyward credits add key_… 500',
      'npx keyward credits add acme 10000 --project prj_… --idempotency-key order-1742',
    ],
    run: (call) => change(call, (add) => ({ add })),
  }),
  resourceCommand({
    words: 'credits remove',
    summary: 'Remove credits from a key or customer, at most those left',
    args: ARGUMENTS,
    options: OPTIONS,
    examples: ['npx keyward credits remove cus_… 500'],
    run: (call) => change(call, (removed) => ({ add: -removed })),
  }),
  resourceCommand({
    words: 'credits set',
    summary: 'Set the credits of a key or customer',
    details: DETAILS,
    args: ARGUMENTS,
    options: OPTIONS,
    examples: ['npx keyward credits set key_… 0'],
    run: (call) => change(call, (set) => ({ set })),
  }),
];
