import { join } from 'node:path';
import { systemClock } from '../../kernel/time/clock.ts';
import { type Command, defineCommand, type OptionSpecs } from '../command.ts';
import { dataDirectoryOf } from '../operator.ts';
import type { Terminal } from '../terminal/terminal.ts';

const DATA_DIR = {
  value: 'DIRECTORY',
  help: 'The data directory. Default: KEYWARD_DATA_DIR, else ./data',
} as const;

const SECRET_NOTE =
  'The root secret (the file `secret` in the data directory, or KEYWARD_SECRET) is not part of a backup. Keep it too, in another place: without it no key in the backup can be validated.';

const postgresOf = (terminal: Terminal): string | null => terminal.env.KEYWARD_DATABASE_URL || null;

/** With --data-dir, the command is about SQLite, whatever KEYWARD_DATABASE_URL says. */
function refuseOnPostgres(terminal: Terminal, dataDir: string | undefined, instead: string): void {
  if (postgresOf(terminal) === null || dataDir !== undefined) return;
  throw new Error(
    `KEYWARD_DATABASE_URL is set. For PostgreSQL, use its own tools: ${instead}. Keep KEYWARD_SECRET too, in another place. For SQLite, set its directory with --data-dir.`,
  );
}

const backup = defineCommand({
  words: 'backup',
  summary: 'Copy the database to one file, even while the server runs',
  details: `The copy is checked, and gets its name only when it is complete.\n\n${SECRET_NOTE}`,
  args: [{ name: 'FILE', help: 'Path of the copy' }],
  options: {
    'data-dir': DATA_DIR,
    force: { help: 'Replace FILE if it exists' },
  } satisfies OptionSpecs,
  examples: ['npx keyward backup keyward-2030-01-01.db'],
  async run({ values, args, terminal }) {
    refuseOnPostgres(
      terminal,
      values['data-dir'],
      'pg_dump --format=custom --file=keyward.dump "$KEYWARD_DATABASE_URL"',
    );
    const { backupDatabase } = await import('../../storage/files/backup.ts');
    const target = args[0]!;
    await backupDatabase({
      file: join(dataDirectoryOf(terminal, values['data-dir']), 'keyward.db'),
      target,
      force: values.force ?? false,
      onProgress: ({ totalPages, remainingPages }) =>
        terminal.progress(`${100 - Math.ceil((100 * remainingPages) / totalPages)} % copied`),
    });
    terminal.progress('');
    terminal.out(`Database copied to ${target}. Keep the root secret too, in another place.\n`);
    return 0;
  },
});

const restore = defineCommand({
  words: 'restore',
  summary: 'Replace the database with a backup; stop the server first',
  details: `An existing database is kept as keyward.db.before-restore, or keyward.db.before-restore-2 and so on.\n\n${SECRET_NOTE}`,
  args: [{ name: 'FILE', help: 'The backup' }],
  options: {
    'data-dir': DATA_DIR,
    force: { help: 'Replace an existing database' },
  } satisfies OptionSpecs,
  examples: ['npx keyward restore keyward-2030-01-01.db --data-dir /var/lib/keyward'],
  async run({ values, args, terminal }) {
    refuseOnPostgres(
      terminal,
      values['data-dir'],
      // Not into the old database with --clean, which keeps tables of a newer schema and fails half-way.
      'stop all nodes, create an empty database, set KEYWARD_DATABASE_URL to it, and run pg_restore --exit-on-error --single-transaction --dbname="$KEYWARD_DATABASE_URL" keyward.dump',
    );
    const { restoreDatabase } = await import('../../storage/files/restore.ts');
    const dataDirectory = dataDirectoryOf(terminal, values['data-dir']);
    terminal.progress('Copying and checking …');
    const force = values.force ?? false;
    const kept = await restoreDatabase({ backup: args[0]!, dataDirectory, force });
    terminal.progress('');
    terminal.out(`Restored ${args[0]} into ${dataDirectory}.\n`);
    if (kept !== null) terminal.out(`The replaced database is ${kept}.\n`);
    return 0;
  },
});

const migrate = defineCommand({
  words: 'migrate',
  summary: 'Migrate the database to the newest schema, without starting the server',
  details:
    '`serve` also does this at its start. On SQLite, stop the server first. On PostgreSQL (KEYWARD_DATABASE_URL), nodes may be running, and several may migrate at the same time: each migration is applied once.',
  options: { 'data-dir': DATA_DIR } satisfies OptionSpecs,
  examples: ['npx keyward migrate --data-dir /var/lib/keyward'],
  async run({ values, terminal }) {
    const { migrate: migrateStorage } = await import('../../storage/migrate.ts');
    const database = await openForMigration(terminal, values['data-dir']);
    try {
      const { from, to } = await migrateStorage(database.storage, systemClock(), {
        onWait: (message) => terminal.err(`${message}\n`),
      });
      terminal.out(
        from === to
          ? `The schema is already at version ${to}.\n`
          : `Migrated the schema from version ${from} to ${to}.\n`,
      );
    } finally {
      await database.close();
    }
    return 0;
  },
});

async function openForMigration(terminal: Terminal, dataDir: string | undefined) {
  const direct = terminal.env.KEYWARD_DATABASE_DIRECT_URL;
  const url = direct || postgresOf(terminal);
  if (url !== null && dataDir === undefined) {
    const { openServerStorage } = await import('../../app/composition/cluster.ts');
    const setting = direct ? 'KEYWARD_DATABASE_DIRECT_URL' : 'KEYWARD_DATABASE_URL';
    const { storage } = await openServerStorage(url, null, 2, setting);
    return { storage, close: () => storage.close() };
  }
  const { openExistingDirectory } = await import('../../storage/files/data-directory.ts');
  const { openSqlite } = await import('../../storage/sqlite.ts');
  const directory = openExistingDirectory(dataDirectoryOf(terminal, dataDir));
  try {
    const storage = await openSqlite({ file: directory.file });
    return { storage, close: () => storage.close().finally(() => directory.release()) };
  } catch (error) {
    directory.release();
    throw error;
  }
}

export const databaseCommands: readonly Command[] = [migrate, backup, restore];
