import type { ImportResult } from '../../../features/api-keys/index.ts';
import { IMPORT_BODY_BYTES_MAX, IMPORT_ROWS_MAX } from '../../../kernel/import-limits.ts';
import type { Api } from '../../api.ts';
import { Progress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type Batch, batchesOf } from './batches.ts';
import { assertReadable, type Format, sizeOf, sourceRows } from './open-source.ts';
import { createPreparer, type PreparedRow } from './prepare-rows.ts';
import { RefusedReport, settleRows } from './refused-report.ts';
import { checkHeader, type FieldRules } from './row-fields.ts';
import { type RowCounts, RunProgress, type SavedProgress } from './run-progress.ts';
import { sendOnce, sendWithRetries } from './send-batch.ts';

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

/** One batch is being sent while the next is prepared. */
const IN_FLIGHT_MAX = 2;
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
    ...(options.dryRun && { dryRun: true }),
  };
  assertReadable(options.file);
  // Sent without keys, to report problems with server, credential or project before reading the file.
  const { accountId, importId: newId } = await sendOnce<ImportResult>(api, 'importApiKeys', {
    ...common,
    keys: [],
  });
  const saved = savedProgressOf(options, accountId);
  const earlier = saved?.read() ?? null;
  const importId = earlier?.importId ?? newId;
  const run = new ImportRun(options.refusedFile, earlier);
  const progress = new Progress(terminal, sizeOf(options.file));
  if (earlier) terminal.err(`Continuing after ${earlier.rows.toLocaleString('en-GB')} rows.\n`);
  if (earlier && run.report.bytes < earlier.reportBytes)
    terminal.err(`${options.refusedFile} will not list the rows refused before that.\n`);
  const settle = async ({ batch, response }: InFlight) => {
    run.settle(batch, await response);
    saved?.write(run.counts, importId, run.report);
    progress.show(run.counts.rows, run.bytesRead);
  };
  const inFlight: InFlight[] = [];
  try {
    for await (const batch of batchesOf(run.rows(options), {
      rows: IMPORT_ROWS_MAX,
      bytes: IMPORT_BODY_BYTES_MAX - ENVELOPE_BYTES,
    })) {
      const response: InFlight['response'] =
        batch.items.length === 0
          ? Promise.resolve(null)
          : sendWithRetries<ImportResult>(api, 'importApiKeys', {
              ...common,
              importId,
              keys: batch.items,
            });
      // It is awaited later; until then a rejection must not count as unhandled.
      response.catch(() => {});
      inFlight.push({ batch, response });
      if (inFlight.length >= IN_FLIGHT_MAX) await settle(inFlight.shift()!);
    }
    for (const last of inFlight.splice(0)) await settle(last);
  } finally {
    run.report.close();
    progress.end();
  }
  saved?.remove();
  const { counts, report } = run;
  const refusedFile = report.bytes > 0 ? options.refusedFile : null;
  return { ...counts, importId, dryRun: options.dryRun, refusedFile };
}

interface InFlight {
  readonly batch: Batch;
  readonly response: Promise<ImportResult | null>;
}

/** Null if a run cannot be continued: a pipe cannot be read again, and a dry run changes nothing. */
const savedProgressOf = (
  { file, dryRun, rules, projectId, events }: ImportOptions,
  accountId: string,
) =>
  file === '-' || dryRun
    ? null
    : new RunProgress(file, {
        accountId,
        options: [[...rules.renamed], [...rules.ignored], rules.name, projectId, events],
      });

class ImportRun {
  readonly counts: RowCounts;
  readonly report: RefusedReport;
  bytesRead = 0;
  /** Rows settled by an earlier run: read again, to find later duplicates, but not sent. */
  readonly #settledBefore: number;

  constructor(refusedFile: string, earlier: SavedProgress | null) {
    const { rows = 0, imported = 0, exists = 0, refused = 0 } = earlier ?? {};
    this.counts = { rows, imported, exists, refused };
    this.#settledBefore = rows;
    this.report = new RefusedReport(refusedFile, earlier);
  }

  async *rows(options: ImportOptions): AsyncGenerator<PreparedRow> {
    const prepare = createPreparer(options.rules);
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
      if (++n > this.#settledBefore) yield prepared;
    }
  }

  settle({ rows }: Batch, response: ImportResult | null): void {
    settleRows(rows, response?.results ?? [], this.counts, this.report);
  }
}
