import { readRootSecret } from '../../../app/root-secret.ts';
import { type ChainReport, verifyChain } from '../../../features/audit/index.ts';
import { deriveSecrets, type Secrets } from '../../../kernel/secrets/crypto.ts';
import { openExistingDirectory } from '../../../storage/files/data-directory.ts';
import type { Storage } from '../../../storage/index.ts';
import { compareTable, Difference } from '../../../storage/move/compare.ts';
import { copyTables } from '../../../storage/move/copy-table.ts';
import { inspectTarget, prepareSchema } from '../../../storage/move/inspect-target.ts';
import { markMoved } from '../../../storage/move/moved-mark.ts';
import { MoveSource } from '../../../storage/move/source.ts';
import { MoveTarget } from '../../../storage/move/target.ts';
import { openPostgres } from '../../../storage/postgres.ts';
import { CHECK_VALUE } from '../../../storage/schema/installation.ts';

export interface MoveOptions {
  readonly dataDirectory: string;
  readonly givenSecret: string | null;
  readonly url: string;
  /** The target without user and password, for the mark in the data directory. */
  readonly shown: string;
  readonly now: number;
  onProgress(done: number, total: number): void;
}

export interface Compared {
  readonly rows: number;
  readonly tables: number;
  /** Rows copied by an earlier run. */
  readonly copiedBefore: number;
}

export interface Moved {
  /** The size of what was compared, and is equal; null if an earlier run has completed the move. */
  readonly compared: Compared | null;
  readonly chainReport: ChainReport;
  /** Path of the file that marks the data directory as moved. */
  readonly mark: string;
}

/**
 * Copies a stopped installation into PostgreSQL, compares both, and marks the data directory. It can be
 * killed at any point and run again: the copy cannot be served before the comparison is done, and the
 * data directory is unchanged until the mark is written.
 */
export async function moveInstallation(options: MoveOptions): Promise<Moved> {
  const directory = openExistingDirectory(options.dataDirectory);
  try {
    const source = new MoveSource(directory.file);
    try {
      const secrets = secretsOf(source, directory.path, options.givenSecret);
      const storage = await openPostgres({ url: options.url, poolSize: 3 });
      try {
        const moved = await moveInto(storage, source, secrets, options);
        const mark = markMoved(directory.path, options.shown, options.now);
        return { ...moved, mark };
      } finally {
        await storage.close();
      }
    } finally {
      source.close();
    }
  } finally {
    directory.release();
  }
}

/** Throws if the secret is wrong, because no key could be found in the copy. */
function secretsOf(source: MoveSource, directory: string, given: string | null): Secrets {
  const expected = source.value(CHECK_VALUE);
  if (expected === undefined)
    throw new Error(
      'There is no installation in this data directory. Start the server on PostgreSQL instead.',
    );
  const root = readRootSecret(directory, given);
  if (root === null)
    throw new Error(`there is no root secret in ${directory}. Set KEYWARD_SECRET.`);
  const secrets = deriveSecrets(root);
  if (secrets.checkValue !== expected)
    throw new Error('the root secret does not belong to this database.');
  return secrets;
}

async function moveInto(
  storage: Storage,
  source: MoveSource,
  { checkValue, hashAuditLink }: Secrets,
  { now, onProgress }: MoveOptions,
): Promise<Omit<Moved, 'mark'>> {
  const { tables, fingerprint } = source;
  const state = await inspectTarget(storage, checkValue, fingerprint);
  const verify = () => verifyChain(storage.read, hashAuditLink);
  if (state.kind === 'done') return { compared: null, chainReport: await verify() };
  const rows = tables.reduce((sum, table) => sum + source.count(table), 0);
  await prepareSchema(storage, tables, now);
  const target =
    state.kind === 'empty'
      ? await MoveTarget.begin(storage, tables, { checkValue, fingerprint })
      : await MoveTarget.resume(storage, tables, state.record, fingerprint);
  const copiedBefore = target.record.rows;
  // Each row counts twice: when it is copied, and when it is compared.
  let done = copiedBefore;
  const onRows = (more: number) => {
    done += more;
    onProgress(done, 2 * rows);
  };
  await copyTables(source, target, onRows);
  await target.finishTables(source.lastNumbers());
  await compareAll(source, storage, target, onRows);
  const chainReport = await verify();
  await target.finish();
  return { compared: { rows, tables: tables.length, copiedBefore }, chainReport };
}

async function compareAll(
  source: MoveSource,
  storage: Storage,
  target: MoveTarget,
  onRows: (rows: number) => void,
): Promise<void> {
  try {
    for (const table of source.tables) await compareTable(source, storage, table, onRows);
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    await target.invalidate();
    throw new Error(
      `${error.message} The installation was not moved. Run the command again to start over.`,
    );
  }
}
