import { resolve } from 'node:path';
import { systemClock } from '../../../kernel/time/clock.ts';
import { type Command, defineCommand, type OptionSpecs } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { dataDirectoryOf } from '../../operator.ts';
import { Progress } from '../../terminal/progress.ts';
import { movedText } from './moved-text.ts';

const move = defineCommand({
  words: 'move',
  summary: 'Copy the installation into PostgreSQL; stop the server first',
  details:
    'Copies everything: keys, access keys, users, webhooks and pending deliveries, usage, audit log, rate-limit windows. Then compares every table on both sides and verifies the audit chain. Until that is done the copy cannot be served. If the command is interrupted, run it again: it continues where it stopped.\n\nThe data directory is not changed, only marked as moved. The database must be empty, and the connection direct, not through a pooler.',
  options: {
    to: {
      value: 'URL',
      help: 'postgres://user:password@host:5432/database. Default: KEYWARD_DATABASE_URL, which other users of the machine cannot see',
    },
    'data-dir': {
      value: 'DIRECTORY',
      help: 'The data directory. Default: KEYWARD_DATA_DIR, else ./data',
    },
  } satisfies OptionSpecs,
  examples: [
    'npx keyward move --to postgres://keyward@db.internal/keyward --data-dir /var/lib/keyward',
  ],
  async run({ values, terminal }) {
    const url = values.to ?? terminal.env.KEYWARD_DATABASE_URL;
    if (!url) throw new UsageError('--to is missing');
    const { AddressError, postgresAddress } = await import('../../../storage/postgres/address.ts');
    const { moveInstallation } = await import('./move-installation.ts');
    const dataDirectory = resolve(dataDirectoryOf(terminal, values['data-dir']));
    const givenSecret = terminal.env.KEYWARD_SECRET || null;
    const shown = shownOf(
      values.to ? '--to' : 'KEYWARD_DATABASE_URL',
      () => postgresAddress(url).shown,
      AddressError,
    );
    let progress: Progress | undefined;
    const moved = await moveInstallation({
      dataDirectory,
      givenSecret,
      url,
      shown,
      now: systemClock(),
      onProgress: (done, total) => {
        progress ??= new Progress(terminal, total, 'rows copied or compared');
        progress.show(done, done);
      },
    });
    progress?.end();
    const secretFile = givenSecret === null ? `${dataDirectory}/secret` : null;
    terminal.out(movedText(moved, shown, secretFile));
    return moved.chainReport.broken === null ? 0 : 1;
  },
});

function shownOf(setting: string, read: () => string, kind: new () => Error): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof kind) throw new UsageError(`${setting} ${error.message}`);
    throw error;
  }
}

export const moveCommands: readonly Command[] = [move];
