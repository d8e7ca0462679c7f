import type { Command, OptionSpecs } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { resourceCommand } from '../../resource-command.ts';
import type { Format } from './open-source.ts';
import { type FieldRules, isField } from './row-fields.ts';
import { type ImportSummary, runImport } from './run-import.ts';
import { FileProblem } from './source-row.ts';

const OPTIONS = {
  'dry-run': { help: 'Check every row, also against what is there, and write nothing' },
  project: {
    value: 'ID',
    help: 'The project (prj_…) of rows that name none. Default: that of the access key, else the only active one',
  },
  name: { value: 'TEXT', help: 'The name of rows that have none' },
  map: {
    value: 'FROM=TO',
    help: 'A field of the file goes by another name here, like token_hash=keyHash; may be repeated',
    multiple: true,
  },
  ignore: {
    value: 'FIELD',
    help: 'A field of the file that is left out; may be repeated',
    multiple: true,
  },
  format: { value: 'FORMAT', help: 'csv or ndjson. Default: by the name of the file' },
  events: { help: 'Emit api-key.created for each key. Default: no events' },
  refused: {
    value: 'FILE',
    help: 'Where refused rows are told, by line and reason; replaced if it is there. Default: FILE.refused.csv',
  },
} as const satisfies OptionSpecs;

const importKeys = resourceCommand({
  words: 'import',
  summary: 'Bring in keys that were made elsewhere, by value or by SHA-256 hash',
  details: `Fields: name; key, or keyHash (SHA-256 in hex, base64 or base64url) with prefix (how the value begins); projectId, customMetaData, customAccountId, customUserId, expiry or expiresAt, rateLimitConfigs (or rateLimit and rateLimitTtl), allowedDomains, isActive, createdAt. NDJSON has one object a line; CSV has a header, metadata as JSON, a limit as 10/60, domains with spaces.

Keys that are there already stay as they are. A run that was stopped goes on when it is started again: until it is done it keeps a note beside the file, FILE.keyward-import. No key is ever printed.

Exit code 0: all are in, 1: some rows were refused, or it could not finish.`,
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
      rules: rulesOf(values),
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

function formatOf(text: string | undefined): Format | undefined {
  if (text === undefined || text === 'csv' || text === 'ndjson') return text;
  throw new UsageError(`--format takes csv or ndjson, not ${JSON.stringify(text)}`);
}

function rulesOf(values: { map?: string[]; ignore?: string[]; name?: string }): FieldRules {
  const renamed = new Map<string, string>();
  for (const text of values.map ?? []) {
    const [, from, to] = /^(.+)=(\w+)$/.exec(text) ?? [];
    if (from === undefined || to === undefined || !isField(to))
      throw new UsageError(`--map takes FROM=TO, where TO is a field of ours; not ${text}`);
    renamed.set(from, to);
  }
  return { renamed, ignored: new Set(values.ignore), name: values.name };
}

function sentence({ dryRun, imported, exists, refused, refusedFile, importId }: ImportSummary) {
  const count = (n: number) => n.toLocaleString('en-GB');
  const others = `${count(exists)} unchanged (already there), ${count(refused)} refused.`;
  const lines = [
    dryRun
      ? `Dry run, nothing was written: ${count(imported)} would be created, ${others}`
      : `${count(imported)} created, ${others}`,
    !dryRun && imported > 0 && `In the audit log: ${importId}`,
    refused > 0 && `Refused rows, with reasons: ${refusedFile}`,
  ];
  return lines.filter(Boolean).join('\n');
}

export const importCommands: readonly Command[] = [importKeys];
