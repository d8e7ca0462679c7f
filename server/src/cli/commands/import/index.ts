import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import type { Command, OptionSpecs } from '../../command.ts';
import { resourceCommand } from '../../resource-command.ts';
import { importCustomers } from './customers.ts';
import { namesOf } from './field-readers.ts';
import { KEY_ROWS, rulesOf } from './row-fields.ts';
import { type ImportSummary, runImport } from './run-import.ts';
import { formatOf } from './source-file.ts';
import { FileProblem } from './source-row.ts';

const OPTIONS = {
  'dry-run': { help: 'Check every row, also against existing keys, without importing' },
  project: {
    value: 'ID',
    help: 'The project (prj_…) of rows without one. Default: that of the access key, else the only active one',
  },
  name: { value: 'TEXT', help: 'The name of rows without one' },
  map: {
    value: 'FROM=TO',
    help: 'Rename a field of the file, such as token_hash=keyHash (repeatable)',
    multiple: true,
  },
  ignore: {
    value: 'FIELD',
    help: 'Ignore a field of the file (repeatable)',
    multiple: true,
  },
  format: { value: 'FORMAT', help: 'csv or ndjson. Default: from the name of the file' },
  events: { help: 'Emit api-key.created for each key. Default: no events' },
  refused: {
    value: 'FILE',
    help: 'Report of refused rows, with line and reason; an existing file is replaced. Default: FILE.refused.csv',
  },
} as const satisfies OptionSpecs;

const importKeys = resourceCommand({
  words: 'import',
  summary: 'Import keys created elsewhere, by value or by SHA-256 hash',
  details: `Fields: key, or keyHash (SHA-256 in hex, base64 or base64url) with prefix (the start of the value); projectId, ${namesOf(API_KEY)}, isActive, createdAt. NDJSON has one object per line. CSV has a header, metadata as JSON, rateLimitConfigs such as 10/60, limits as in keys create --limit, and lists separated by spaces or ;.

Existing keys are not changed. An interrupted import continues when it is started again; until it is finished, its progress is stored in FILE.keyward-import. Keys are never printed.

Exit code 0: no row was refused, 1: some rows were refused, or the import could not finish.`,
  args: [{ name: 'FILE', help: 'NDJSON or CSV; - reads standard input' }],
  options: OPTIONS,
  examples: [
    'npx keyward import keys.csv --dry-run',
    'npx keyward import keys.ndjson --project prj_…',
    'npx keyward import export.csv --map token_hash=keyHash --map enabled=isActive --ignore id',
  ],
  async run({ api, out, values, args, terminal }) {
    const file = args[0]!;
    const summary = await runImport(api, terminal, {
      file,
      format: formatOf(values.format),
      rules: rulesOf(KEY_ROWS, values),
      projectId: values.project,
      events: values.events ?? false,
      dryRun: values['dry-run'] ?? false,
      refusedFile: values.refused ?? `${file === '-' ? 'import' : file}.refused.csv`,
    }).catch((error: unknown) => {
      throw error instanceof FileProblem ? new Error(`${file}: ${error.message}`) : error;
    });
    out.done(sentence(summary), summary);
    return summary.refused > 0 ? 1 : 0;
  },
});

function sentence({ dryRun, imported, exists, refused, refusedFile, importId }: ImportSummary) {
  const count = (n: number) => n.toLocaleString('en-GB');
  const others = `${count(exists)} unchanged (already there), ${count(refused)} refused.`;
  const lines = [
    dryRun
      ? `Dry run, nothing was written: ${count(imported)} would be created, ${others}`
      : `${count(imported)} created, ${others}`,
    !dryRun && imported > 0 && `In the audit log: ${importId}`,
    refusedFile !== null && `Refused rows, with reasons: ${refusedFile}`,
  ];
  return lines.filter(Boolean).join('\n');
}

export const importCommands: readonly Command[] = [importKeys, importCustomers];
