import { csvLine } from '@keyward/rules/csv.ts';
import type { OperationId } from 'keyward';
import { isIdOf } from '../../../kernel/ids.ts';
import type { Command } from '../../command.ts';
import { type ResourceCall, resourceCommand } from '../../resource-command.ts';
import type { Column, Row } from '../../terminal/table.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { readInteger, readSecretArgument } from '../../values.ts';

const OWNER = {
  name: 'OWNER',
  help: 'A key (id or value; - reads it from standard input) or a customer (cus_…; with --project, your own id)',
} as const;
const ARGUMENTS = [OWNER, { name: 'N', help: 'A number of credits' }] as const;

const PROJECT = {
  project: { value: 'ID', help: 'The project (prj_…), if OWNER is your own id of a customer' },
} as const;

const OPTIONS = {
  ...PROJECT,
  note: { value: 'TEXT', help: 'Shown in the statement, such as the number of an invoice' },
  'idempotency-key': {
    value: 'TEXT',
    help: 'Unique id of this change, such as an order number. Running the command again with the same id does not apply it twice',
  },
} as const;

type Values = {
  readonly project?: string;
  readonly note?: string;
  readonly 'idempotency-key'?: string;
};

/** Calls the operation for a key or for a customer, whatever OWNER names. */
async function callFor<T extends Row | null>(
  { api, values, args, terminal }: ResourceCall<{ readonly project?: string }>,
  ofKey: OperationId,
  ofCustomer: OperationId,
  { query, ...input }: { query?: object; body?: object; idempotencyKey?: string | undefined },
): Promise<T> {
  const [owner = ''] = args;
  const { project: projectId } = values;
  if (projectId !== undefined || isIdOf('cus', owner)) {
    const named = { path: { id: owner }, query: { ...query, projectId } };
    return api.call<T>(ofCustomer, { ...input, ...named } as never);
  }
  const path = { key: await readSecretArgument(terminal, owner) };
  return api.call<T>(ofKey, { ...input, path, ...(query && { query }) } as never);
}

async function change<V extends Values>(
  call: ResourceCall<V>,
  bodyOf: (credits: number) => object,
): Promise<undefined> {
  const { note, 'idempotency-key': idempotencyKey } = call.values;
  const body = { ...bodyOf(readInteger(call.args[1] ?? '', 'N')), ...(note && { note }) };
  const input = { body, idempotencyKey };
  return call.out.record(
    await callFor(call, 'changeApiKeyCredits', 'changeCustomerCredits', input),
  );
}

interface Statement extends Row {
  readonly from: string;
  readonly to: string;
  readonly opening: number;
  readonly closing: number;
  readonly entries: readonly Row[];
}

const GRANT_COLUMNS: readonly Column[] = [
  { field: 'id', title: 'Grant', whole: true },
  { field: 'source', title: 'Source' },
  { field: 'amount', title: 'Amount' },
  { field: 'remaining', title: 'Left' },
  { field: 'expiresAt', title: 'Expires' },
  { field: 'note', title: 'Note' },
];
const ENTRY_COLUMNS: readonly Column[] = [
  { field: 'date', title: 'Date' },
  { field: 'kind', title: 'Kind' },
  { field: 'amount', title: 'Amount' },
  { field: 'grant', title: 'Grant', whole: true },
  { field: 'note', title: 'Note' },
];

function printCsv(terminal: Terminal, statement: Statement): undefined {
  const { from, to, opening, closing, entries } = statement;
  const fields = ENTRY_COLUMNS.map(({ field }) => field);
  const lines = [
    fields,
    [from, 'opening', opening, '', ''],
    ...entries.map((entry) => fields.map((field) => entry[field])),
    [to, 'closing', closing, '', ''],
  ];
  for (const line of lines) terminal.out(`${csvLine(line)}\n`);
}

const DETAILS = 'Creates the credits if the key or customer has none of its own.';

export const creditCommands: readonly Command[] = [
  resourceCommand({
    words: 'credits add',
    summary: 'Add credits to a key or customer',
    details: DETAILS,
    args: ARGUMENTS,
    options: {
      ...OPTIONS,
      source: {
        value: 'SOURCE',
        help: '`purchase` or `bonus`: how the statement counts them. Default: `purchase`',
      },
      expires: { value: 'TIME', help: 'When they expire. Default: never' },
    },
    examples: [
      'npx keyward credits add key_… 500',
      'npx keyward credits add acme 10000 --project prj_… --idempotency-key order-1742',
      'npx keyward credits add cus_… 100 --source bonus --expires 2031-01-01 --note Welcome',
    ],
    run: (call) => {
      const { source, expires: expiresAt } = call.values;
      return change(call, (add) => ({
        add,
        ...(source && { source }),
        ...(expiresAt && { expiresAt }),
      }));
    },
  }),
  resourceCommand({
    words: 'credits remove',
    summary: 'Remove credits from a key or customer, at most those left',
    args: ARGUMENTS,
    options: {
      ...OPTIONS,
      grant: {
        value: 'ID',
        help: 'Take them from this grant only (gr_…), such as one that is refunded',
      },
    },
    examples: ['npx keyward credits remove cus_… 500'],
    run: (call) => {
      const { grant } = call.values;
      return change(call, (removed) => ({ add: -removed, ...(grant && { grant }) }));
    },
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
  resourceCommand({
    words: 'credits show',
    summary: 'Show the credits of a key or customer, with the grants that have some left',
    args: [OWNER],
    options: PROJECT,
    examples: ['npx keyward credits show cus_…'],
    run: async (call) => {
      const credits = await callFor<Row | null>(
        ...([call, 'getApiKeyCredits', 'getCustomerCredits', {}] as const),
      );
      if (credits === null) return call.out.done('It has no credits of its own.', null);
      return call.out.recordWithTable(credits, 'grants', GRANT_COLUMNS);
    },
  }),
  resourceCommand({
    words: 'credits statement',
    summary: 'Show what was granted, spent and expired in a period',
    details: 'Opening balance, sums and entries add up to the closing balance. Days are in UTC.',
    args: [OWNER],
    options: {
      ...PROJECT,
      from: { value: 'DATE', help: 'The first day. Default: the first of this month' },
      to: { value: 'DATE', help: 'The last day, which is included. Default: today' },
      csv: { help: 'Print the entries as CSV' },
    },
    examples: ['npx keyward credits statement cus_… --from 2030-01-01 --to 2030-01-31 --csv'],
    run: async (call) => {
      const { from, to, csv } = call.values;
      const query = { ...(from && { from }), ...(to && { to }) };
      const statement = await callFor<Statement>(
        ...([call, 'getApiKeyCreditStatement', 'getCustomerCreditStatement', { query }] as const),
      );
      if (csv) return printCsv(call.terminal, statement);
      return call.out.recordWithTable(statement, 'entries', ENTRY_COLUMNS);
    },
  }),
];
