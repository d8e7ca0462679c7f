import { join } from 'node:path';
import { systemClock } from '../../kernel/clock.ts';
import { type Command, defineCommand, type OptionSpecs } from '../command.ts';
import { dataDirectoryOf } from '../operator.ts';
import type { Terminal } from '../terminal/terminal.ts';

const DATA_DIR = {
  value: 'DIRECTORY',
  help: 'The data directory. Default: KEYWARD_DATA_DIR, else ./data',
} as const;

const SECRET_NOTE =
  'The root secret (the file `secret` in the data directory, or KEYWARD_SECRET) is not in a backup: keep it too, and apart. Without it no key in the backup can be validated.';

const postgresOf = (terminal: Terminal): string | null => terminal.env.KEYWARD_DATABASE_URL || null;

/** A file named on the command line is meant, whatever the environment says. */
function refuseOnPostgres(terminal: Terminal, dataDir: string | undefined, instead: string): void {
  if (postgresOf(terminal) === null || dataDir !== undefined) return;
  throw new Error(
    `KEYWARD_DATABASE_URL is set, and PostgreSQL has tools of its own: ${instead}. Keep KEYWARD_SECRET too, and apart. For SQLite name its directory with --data-dir.`,
  );
}

const backup = defineCommand({
  words: 'backup',
  summary: 'Copy the database to one file, also while the server runs',
  details: `The copy is checked, and appears under its name only when it is whole.\n\n${SECRET_NOTE}`,
  args: [{ name: 'FILE', help: 'Where the copy goes' }],
  options: {
    'data-dir': DATA_DIR,
    force: { help: 'Replace FILE if it is already there' },
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
    terminal.out(`The database is copied to ${target}. Keep the root secret too, and apart.\n`);
    return 0;
  },
});

const restore = defineCommand({
  words: 'restore',
  summary: 'Put a backup in the place of the database; stop the server first',
  details: `A database that is already there is kept beside as keyward.db.before-restore.\n\n${SECRET_NOTE}`,
  args: [{ name: 'FILE', help: 'The backup' }],
  options: {
    'data-dir': DATA_DIR,
    force: { help: 'Replace the database that is there' },
  } satisfies OptionSpecs,
  examples: ['npx keyward restore keyward-2030-01-01.db --data-dir /var/lib/keyward'],
  async run({ values, args, terminal }) {
    refuseOnPostgres(
      terminal,
      values['data-dir'],
      'pg_restore --clean --if-exists --dbname="$KEYWARD_DATABASE_URL" keyward.dump',
    );
    const { restoreDatabase } = await import('../../storage/files/restore.ts');
    const dataDirectory = dataDirectoryOf(terminal, values['data-dir']);
    terminal.progress('Copying and checking …');
    await restoreDatabase({ backup: args[0]!, dataDirectory, force: values.force ?? false });
    terminal.progress('');
    terminal.out(`The database in ${dataDirectory} is now that of ${args[0]}.\n`);
    return 0;
  },
});

const migrate = defineCommand({
  words: 'migrate',
  summary: 'Bring the schema of the database up to date, without serving',
  details:
    'serve does the same at its start. On SQLite the server must not be running; on PostgreSQL (KEYWARD_DATABASE_URL) nodes may be, and of several that migrate at once each step is made by one.',
  options: { 'data-dir': DATA_DIR } satisfies OptionSpecs,
  examples: ['npx keyward migrate --data-dir /var/lib/keyward'],
  async run({ values, terminal }) {
    const { migrate: bringUpToDate } = await import('../../storage/migrate.ts');
    const database = await openForMigration(terminal, values['data-dir']);
    try {
      const { from, to } = await bringUpToDate(database.storage, systemClock());
      terminal.out(
        from === to
          ? `The schema is already at version ${to}.\n`
          : `The schema went from version ${from} to ${to}.\n`,
      );
    } finally {
      await database.close();
    }
    return 0;
  },
});

async function openForMigration(terminal: Terminal, dataDir: string | undefined) {
  const url = terminal.env.KEYWARD_DATABASE_DIRECT_URL || postgresOf(terminal);
  if (url !== null && dataDir === undefined) {
    const { openServerStorage } = await import('../../app/build-cluster.ts');
    const { storage } = await openServerStorage(url, null, 2);
    return { storage, close: () => storage.close() };
  }
  const { openDataDirectory } = await import('../../storage/files/data-directory.ts');
  const { openSqlite } = await import('../../storage/sqlite.ts');
  const directory = openDataDirectory(dataDirectoryOf(terminal, dataDir));
  try {
    const storage = await openSqlite({ file: directory.file });
    return { storage, close: () => storage.close().finally(() => directory.release()) };
  } catch (error) {
    directory.release();
    throw error;
  }
}

export const databaseCommands: readonly Command[] = [migrate, backup, restore];
