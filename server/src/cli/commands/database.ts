import { join } from 'node:path';
import { type Command, defineCommand, type OptionSpecs } from '../command.ts';
import { dataDirectoryOf } from '../operator.ts';

const DATA_DIR = {
  value: 'DIRECTORY',
  help: 'Where the database lies. Default: KEYWARD_DATA_DIR, else ./data',
} as const;

const SECRET_NOTE =
  'The root secret (the file `secret` in the data directory, or KEYWARD_SECRET) is not in a backup: keep it too, and apart. Without it no key in the backup can be validated.';

const backup = defineCommand({
  words: 'backup',
  summary: 'Copy the database to one file, also while the server runs',
  details: `The copy is checked, and appears under its name only when it is whole.\n\n${SECRET_NOTE}`,
  args: [{ name: 'FILE', help: 'Where the copy goes' }],
  options: {
    'data-dir': DATA_DIR,
    force: { help: 'Replace FILE if it is already there' },
  } satisfies OptionSpecs,
  examples: ['keyward backup keyward-2030-01-01.db'],
  async run({ values, args, terminal }) {
    const { backupDatabase } = await import('../../storage/backup.ts');
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
  examples: ['keyward restore keyward-2030-01-01.db --data-dir /var/lib/keyward'],
  async run({ values, args, terminal }) {
    const { restoreDatabase } = await import('../../storage/restore.ts');
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
  details: 'serve does the same at its start. The server must not be running.',
  options: { 'data-dir': DATA_DIR } satisfies OptionSpecs,
  examples: ['keyward migrate --data-dir /var/lib/keyward'],
  async run({ values, terminal }) {
    const { openDataDirectory } = await import('../../storage/data-directory.ts');
    const { openSqlite } = await import('../../storage/sqlite.ts');
    const { migrate: bringUpToDate } = await import('../../storage/migrate.ts');
    const directory = openDataDirectory(dataDirectoryOf(terminal, values['data-dir']));
    try {
      const storage = await openSqlite({ file: directory.file });
      try {
        const { from, to } = await bringUpToDate(storage, Date.now());
        terminal.out(
          from === to
            ? `The schema is already at version ${to}.\n`
            : `The schema went from version ${from} to ${to}.\n`,
        );
      } finally {
        await storage.close();
      }
    } finally {
      directory.release();
    }
    return 0;
  },
});

export const databaseCommands: readonly Command[] = [migrate, backup, restore];
