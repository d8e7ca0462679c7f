import type { ImportResult } from '../../../features/api-keys/index.ts';
import { IMPORT_BODY_BYTES_MAX, IMPORT_ROWS_MAX } from '../../../kernel/import-limits.ts';
import type { Api } from '../../api.ts';
import { Progress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type Batch, batchesOf, sendBatches } from './batches.ts';
import { createPreparer, type PreparedRow } from './prepare-rows.ts';
import { countRows, RefusedReport } from './refused-report.ts';
import { checkHeader, type FieldRules } from './row-fields.ts';
import { ProgressFile, type RowCounts, type SavedProgress } from './run-progress.ts';
import { sendOnce, sendWithRetries } from './send-batch.ts';
import { assertReadable, type Format, sizeOf, sourceRows } from './source-file.ts';

export interface ImportOptions {
  readonly file: string;
  readonly format: Format | undefined;
  readonly rules: FieldRules;
  readonly projectId: string | undefined;
  readonly events: boolean;
  readonly dryRun: boolean;
  /** Path of the report of refused rows. */
  readonly refusedFile: string;
}

export interface ImportSummary extends RowCounts {
  readonly importId: string;
  readonly dryRun: boolean;
  readonly refusedFile: string | null;
}

/** Space for the body around the rows. */
const ENVELOPE_BYTES = 1024;

export async function runImport(
  api: Api,
  terminal: Terminal,
  options: ImportOptions,
): Promise<ImportSummary> {
  const common = {
    ...(options.projectId && { projectId: options.projectId }),
    ...(options.events && { events: true }),
    dryRun: options.dryRun,
  };
  assertReadable(options.file);
  // Sent without keys, to report problems with server, credential or project before reading the file.
  const { accountId, importId: newId } = await sendOnce<ImportResult>(api, 'importApiKeys', {
    ...common,
    keys: [],
  });
  const saved = progressFileOf(options, accountId);
  const send: Send = (body) =>
    sendWithRetries<ImportResult>(api, 'importApiKeys', { ...common, ...body });
  const earlier = saved?.read() ?? null;
  try {
    return await importRows(terminal, options, { send, saved, earlier, newId });
  } catch (error) {
    if (!(error instanceof RowsMissing)) throw error;
    terminal.err('The server no longer has these rows. Starting over.\n');
    return importRows(terminal, options, { send, saved, earlier: null, newId });
  }
}

type Send = (body: {
  readonly importId: string;
  readonly keys: readonly object[];
  readonly dryRun?: true;
}) => Promise<ImportResult>;

interface RunParts {
  readonly send: Send;
  readonly saved: ProgressFile | null;
  readonly earlier: SavedProgress | null;
  readonly newId: string;
}

/** The database was restored to a time before the earlier run, or its keys were deleted. */
class RowsMissing extends Error {}

async function importRows(
  terminal: Terminal,
  options: ImportOptions,
  { send, saved, earlier, newId }: RunParts,
): Promise<ImportSummary> {
  const importId = earlier?.importId ?? newId;
  const run = new ImportRun(options.refusedFile, earlier);
  const assertStored = async (item: object) => {
    const { results } = await send({ importId, keys: [item], dryRun: true });
    if (results[0]?.status !== 'exists') throw new RowsMissing();
  };
  const progress = new Progress(terminal, sizeOf(options.file));
  if (earlier) terminal.err(`Continuing after ${earlier.rows.toLocaleString('en-GB')} rows.\n`);
  if (earlier && run.report.bytes < earlier.reportBytes)
    terminal.err(`${options.refusedFile} will not list the rows refused before that.\n`);
  const batches = batchesOf(run.rows(options, assertStored), {
    rows: IMPORT_ROWS_MAX,
    bytes: IMPORT_BODY_BYTES_MAX - ENVELOPE_BYTES,
  });
  try {
    await sendBatches<ImportResult | null>(
      batches,
      async ({ items }) => (items.length === 0 ? null : send({ importId, keys: items })),
      (batch, response) => {
        run.count(batch, response);
        saved?.write(run, importId);
        progress.show(run.counts.rows, run.bytesRead);
      },
    );
  } finally {
    run.report.close();
    progress.end();
  }
  saved?.remove();
  const { counts, report } = run;
  const refusedFile = report.bytes > 0 ? options.refusedFile : null;
  return { ...counts, importId, dryRun: options.dryRun, refusedFile };
}

/** Null if a run cannot be continued: a pipe cannot be read again, and a dry run changes nothing. */
const progressFileOf = (
  { file, dryRun, rules, projectId, events }: ImportOptions,
  accountId: string,
) =>
  file === '-' || dryRun
    ? null
    : new ProgressFile(file, {
        accountId,
        options: [[...rules.renamed], [...rules.ignored], rules.name, projectId, events],
      });

class ImportRun {
  readonly counts: RowCounts;
  readonly report: RefusedReport;
  bytesRead = 0;
  /** Number of the last row that the server has. */
  lastStored: number;
  /** Rows that an earlier run counted: read again, to find later duplicates, but not sent. */
  readonly #countedBefore: number;

  constructor(refusedFile: string, earlier: SavedProgress | null) {
    const { rows = 0, imported = 0, exists = 0, refused = 0, lastStored = 0 } = earlier ?? {};
    this.counts = { rows, imported, exists, refused };
    this.lastStored = lastStored;
    this.#countedBefore = rows;
    this.report = new RefusedReport(refusedFile, earlier);
  }

  async *rows(
    options: ImportOptions,
    assertStored: (item: object) => Promise<void>,
  ): AsyncGenerator<PreparedRow> {
    const prepare = createPreparer(options.rules);
    const lastStored = this.lastStored;
    let n = 0;
    for await (const row of sourceRows({
      file: options.file,
      format: options.format,
      onHeader: (names) => checkHeader(names, options.rules),
      onRead: (bytes) => {
        this.bytesRead = bytes;
      },
    })) {
      const prepared = prepare(row);
      if (++n === lastStored && prepared.item !== null) await assertStored(prepared.item);
      if (n > this.#countedBefore) yield prepared;
    }
  }

  count({ rows }: Batch, response: ImportResult | null): void {
    const stored = countRows(rows, response?.results ?? [], this.counts, this.report);
    if (stored > 0) this.lastStored = stored;
  }
}
