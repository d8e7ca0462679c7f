import { join } from 'node:path';
import type { ChainReport, Head } from '../../../features/audit/index.ts';
import { type Command, defineCommand, type OptionSpecs } from '../../command.ts';
import { failureText, UsageError } from '../../failure.ts';
import { TIME_OPTIONS } from '../../filter-options.ts';
import { followList } from '../../follow.ts';
import { listCommand } from '../../listing.ts';
import { dataDirectoryOf } from '../../operator.ts';
import { Output } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { chainReportText } from './chain-report.ts';
import type { AuditDatabase } from './verifier.ts';

const verify = defineCommand({
  words: 'audit verify',
  summary: 'Verify that no row of the audit log was changed, moved or removed',
  details:
    'Reads the database itself, even while the server runs, and needs the root secret (KEYWARD_SECRET, or the file `secret` in the data directory). \n\nExit code 0: the log is unchanged. 1: it was changed, and the first wrong row is printed. 2: it could not be verified.\n\nAnyone who can write to the database can remove the end of the log together with its seals. Keep the printed head elsewhere, and pass it to a later run with --head.',
  options: {
    'data-dir': {
      value: 'DIRECTORY',
      help: 'The data directory. Default: KEYWARD_DATA_DIR, else ./data',
    },
    head: { value: 'POSITION:HASH', help: 'A head printed earlier: it must still be in the chain' },
    json: { help: 'Print the result as JSON' },
  } satisfies OptionSpecs,
  examples: ['npx keyward audit verify', 'npx keyward audit verify --head 1042:mJ8…'],
  async run({ values, terminal }) {
    const expectedHead = values.head === undefined ? undefined : readHead(values.head);
    const directory = dataDirectoryOf(terminal, values['data-dir']);
    const { KEYWARD_DATABASE_DIRECT_URL, KEYWARD_DATABASE_URL } = terminal.env;
    const url = KEYWARD_DATABASE_DIRECT_URL || KEYWARD_DATABASE_URL;
    const database =
      url && values['data-dir'] === undefined ? { url } : { file: join(directory, 'keyward.db') };
    try {
      const report = await verifyLog(terminal, database, directory, expectedHead);
      new Output(terminal, values.json ?? false).done(chainReportText(report), report);
      return report.broken === null ? 0 : 1;
    } catch (error) {
      terminal.err(failureText(error));
      return 2;
    }
  },
});

async function verifyLog(
  terminal: Terminal,
  database: AuditDatabase,
  directory: string,
  expectedHead: Head | undefined,
): Promise<ChainReport> {
  const { openAuditVerifier } = await import('./verifier.ts');
  const verifier = await openAuditVerifier(
    database,
    directory,
    terminal.env.KEYWARD_SECRET || null,
  );
  try {
    return await verifier.verify(expectedHead, (proven) =>
      terminal.progress(`${proven.toLocaleString('en-GB')} rows verified`),
    );
  } finally {
    terminal.progress('');
    await verifier.close();
  }
}

function readHead(text: string): Head {
  const match = /^(\d{1,15}):([\w-]{43})$/.exec(text);
  if (!match) throw new UsageError('--head takes POSITION:HASH as a verification printed it');
  return { position: Number(match[1]), hash: match[2]! };
}

const COLUMNS: readonly Column[] = [
  { field: 'createdAt', title: 'when', whole: true },
  { field: 'action', title: 'action' },
  { field: 'actorId', title: 'by' },
  { field: 'targetId', title: 'target', whole: true },
  { field: 'clientAddress', title: 'from' },
  { field: 'sealed', title: 'sealed' },
  { field: 'id', title: 'id' },
];

const list = listCommand({
  words: 'audit',
  summary: 'List changes, newest first, or follow them',
  operation: 'listAuditLogs',
  columns: COLUMNS,
  options: {
    actor: { value: 'ID', help: 'Only changes by this access key or user' },
    action: {
      value: 'ACTION',
      help: 'Only this action, such as api-key.deleted; a value that ends in a dot, such as `api-key.`, matches all actions that begin with it',
    },
    target: { value: 'ID', help: 'Only changes of this object' },
    'target-type': {
      value: 'TYPE',
      help: 'Only changes of this type of object, such as api-key or project',
    },
    project: { value: 'ID', help: 'Only changes in this project; null: outside of projects' },
    ...TIME_OPTIONS,
  },
  examples: [
    'npx keyward audit --target key_…',
    'npx keyward audit --follow --action api-key.',
    'npx keyward audit --action api-key. --from 2030-01-01 --all --json > changes.json',
  ],
  query: (values) => ({
    actor: values.actor,
    action: values.action,
    target: values.target,
    targetType: values['target-type'],
    projectId: values.project,
    from: values.from,
    to: values.to,
  }),
  // Without the column "sealed": a row is printed once, often just before it is sealed.
  instead: (call, filter) =>
    call.values.follow
      ? followList(call, filter, {
          operation: 'listAuditLogs',
          timeField: 'createdAt',
          columns: COLUMNS.filter(({ field }) => field !== 'sealed'),
        })
      : null,
});

/** `audit verify` first, because `audit` matches it too. */
export const auditCommands: readonly Command[] = [verify, list];
