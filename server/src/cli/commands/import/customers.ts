import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import type { ImportCustomersResult } from 'keyward';
import { IMPORT_BODY_BYTES_MAX, IMPORT_ROWS_MAX } from '../../../kernel/import-limits.ts';
import { resourceCommand } from '../../resource-command.ts';
import { Progress } from '../../terminal/progress.ts';
import { withoutUndefined } from '../../values.ts';
import { batchesOf, sendBatches } from './batches.ts';
import { namesOf } from './field-readers.ts';
import { createPreparer, type PreparedRow } from './prepare-rows.ts';
import { countRows, RefusedReport } from './refused-report.ts';
import { CUSTOMER_ROWS, checkHeader, type FieldRules, rulesOf } from './row-fields.ts';
import type { RowCounts } from './run-progress.ts';
import { sendOnce, sendWithRetries } from './send-batch.ts';
import { assertReadable, formatOf, type SourceOptions, sizeOf, sourceRows } from './source-file.ts';
import { FileProblem } from './source-row.ts';

/** Space for the body around the rows. */
const ENVELOPE_BYTES = 1024;

export const importCustomers = resourceCommand({
  words: 'customers import',
  summary: 'Import customers',
  details: `Fields: ${namesOf(CUSTOMER)}, projectId. CSV has a header, metadata as JSON, limits as in customers create --limit, and lists separated by spaces or ;. NDJSON has one object per line.

Existing customers are not changed, so an interrupted import can be repeated.

Exit code 0: no row was refused, 1: some rows were refused, or the import could not finish.`,
  args: [{ name: 'FILE', help: 'CSV or NDJSON; - reads standard input' }],
  options: {
    'dry-run': { help: 'Check every row, also against existing customers, without importing' },
    project: { value: 'ID', help: 'The project (prj_…) of rows without one' },
    map: {
      value: 'FROM=TO',
      help: 'Rename a field of the file, such as id=customAccountId (repeatable)',
      multiple: true,
    },
    ignore: { value: 'FIELD', help: 'Ignore a field of the file (repeatable)', multiple: true },
    format: { value: 'FORMAT', help: 'csv or ndjson. Default: from the name of the file' },
    refused: {
      value: 'FILE',
      help: 'Report of refused rows, with line and reason; an existing file is replaced. Default: FILE.refused.csv',
    },
  },
  examples: [
    'npx keyward customers import customers.csv --dry-run',
    'npx keyward customers import customers.csv --project prj_… --map id=customAccountId',
  ],
  async run({ api, out, values, args, terminal }) {
    const file = args[0]!;
    const dryRun = values['dry-run'] ?? false;
    const common = withoutUndefined({ projectId: values.project, dryRun: dryRun || undefined });
    const rules = rulesOf(CUSTOMER_ROWS, withoutUndefined(values));
    const format = formatOf(values.format);
    assertReadable(file);
    const refusedFile = values.refused ?? `${file === '-' ? 'customers' : file}.refused.csv`;
    const report = new RefusedReport(refusedFile);
    const counts: RowCounts = { rows: 0, imported: 0, exists: 0, refused: 0 };
    const progress = new Progress(terminal, sizeOf(file));
    let bytesRead = 0;
    const onRead = (bytes: number) => {
      bytesRead = bytes;
    };
    const limits = { rows: IMPORT_ROWS_MAX, bytes: IMPORT_BODY_BYTES_MAX - ENVELOPE_BYTES };
    try {
      let isFirst = true;
      await sendBatches<ImportCustomersResult | null>(
        batchesOf(preparedRows({ file, format, onRead }, rules), limits),
        async ({ items }) => {
          if (items.length === 0) return null;
          // The first batch is sent without retries, so that a wrong URL is reported at once.
          const send = isFirst ? sendOnce : sendWithRetries;
          isFirst = false;
          return send(api, 'importCustomers', { ...common, customers: items });
        },
        ({ rows }, response) => {
          countRows(rows, response?.results ?? [], counts, report);
          progress.show(counts.rows, bytesRead);
        },
      );
    } catch (error) {
      throw error instanceof FileProblem ? new Error(`${file}: ${error.message}`) : error;
    } finally {
      report.close();
      progress.end();
    }
    const summary = { ...counts, dryRun, refusedFile: counts.refused > 0 ? refusedFile : null };
    out.done(sentence(summary), summary);
    return counts.refused > 0 ? 1 : 0;
  },
});

async function* preparedRows(
  source: Omit<SourceOptions, 'onHeader'>,
  rules: FieldRules,
): AsyncGenerator<PreparedRow> {
  const prepare = createPreparer(rules);
  const onHeader = (names: readonly string[]) => checkHeader(names, rules);
  for await (const row of sourceRows({ ...source, onHeader })) yield prepare(row);
}

function sentence(summary: RowCounts & { dryRun: boolean; refusedFile: string | null }): string {
  const { dryRun, imported, exists, refused, refusedFile } = summary;
  const count = (n: number) => n.toLocaleString('en-GB');
  const created = dryRun
    ? `Dry run, nothing was written: ${count(imported)} would be created`
    : `${count(imported)} created`;
  const line = `${created}, ${count(exists)} unchanged (already there), ${count(refused)} refused.`;
  return refusedFile === null ? line : `${line}\nRefused rows, with reasons: ${refusedFile}`;
}
