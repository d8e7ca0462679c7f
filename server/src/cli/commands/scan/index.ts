import { isPortalToken } from '../../../kernel/secrets/key-values.ts';
import { type Command, defineCommand } from '../../command.ts';
import { failureText, UsageError } from '../../failure.ts';
import { listCommand } from '../../listing.ts';
import { ACCESS_KEY_OPTIONS, apiFor, SERVER_OPTIONS } from '../../resource-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type Leak, type ScanEvents, scanPath, scanStream } from './files.ts';
import { type Reported, sarif, shown, textLine } from './formats.ts';
import { scanHistory } from './git-history.ts';

const FOUND = 1;
const FAILED = 2;
/** The server accepts this many in one request. */
const VALUES_PER_REPORT = 100;
const STDIN = '-';

const scan = defineCommand({
  words: 'scan',
  summary: 'Find key values in files, standard input or the history of a git repository',
  details:
    'Finds values that Keyward generated, by their shape and checksum, whatever their prefix. Works offline; values that you chose yourself are not found. Binary files and the directory .git are ignored. The output shows masks, never values.\n\nExit code 0: nothing was found. 1: something was found, even if other files could not be read. 2: nothing was found but something could not be read, or what was found could not be reported.',
  args: [{ name: 'PATH', help: 'Files and directories; - for standard input', many: true }],
  options: {
    git: { help: 'Search every version in the history of the repositories at PATH' },
    sarif: { help: 'Print SARIF 2.1.0, for code hosts and CI systems' },
    report: {
      help: 'Report what was found to the server, which notifies or revokes (leaks:report)',
    },
    source: {
      value: 'TEXT',
      help: 'With --report: where the values were found. Default: "keyward scan"',
    },
    'source-url': { value: 'URL', help: 'With --report: a link to that place, such as the CI job' },
    ...SERVER_OPTIONS,
    json: { help: 'Print a JSON array' },
    ...ACCESS_KEY_OPTIONS,
  },
  examples: [
    'npx keyward scan .',
    'npx keyward scan --git .',
    'git diff --cached --unified=0 | grep "^+" | npx keyward scan -',
    'npx keyward scan --report --source "nightly scan" src',
  ],
  async run({ values, args, terminal }) {
    if (values.json && values.sarif) throw new UsageError('--json and --sarif exclude each other');
    // Fails before a long scan, not after it.
    const api = values.report ? apiFor(terminal, values) : null;
    try {
      const { leaks, isComplete } = await collect(args, values.git ?? false, terminal);
      const reported = new Map<string, Reported>();
      const place = { source: values.source ?? 'keyward scan', url: values['source-url'] };
      // What was found is printed even if the server cannot be reached.
      const failure = api && (await report(api, leaks, place, reported));
      const rows = leaks.map((leak) => shown(leak, reported.get(leak.value)));
      if (values.json) terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
      else if (values.sarif) terminal.out(`${JSON.stringify(sarif(rows), null, 2)}\n`);
      else for (const row of rows) terminal.out(textLine(row));
      if (failure) throw failure.error;
      if (leaks.length > 0) return FOUND;
      return isComplete ? 0 : FAILED;
    } catch (error) {
      terminal.progress('');
      terminal.err(failureText(error));
      return FAILED;
    }
  },
});

/** Fills `reported`. Returns what failed, if something did. */
async function report(
  api: ReturnType<typeof apiFor>,
  leaks: readonly Leak[],
  place: { readonly source: string; readonly url: string | undefined },
  reported: Map<string, Reported>,
): Promise<{ readonly error: unknown } | null> {
  // Without tokens of portal sessions: the server looks only for keys.
  const found = [...new Set(leaks.map(({ value }) => value))].filter(
    (each) => !isPortalToken(each),
  );
  try {
    for (let start = 0; start < found.length; start += VALUES_PER_REPORT) {
      const part = found.slice(start, start + VALUES_PER_REPORT);
      const body = { values: part, ...place };
      const results = await api.call<readonly Reported[]>('reportLeaks', { body });
      for (const [n, value] of part.entries()) reported.set(value, results[n]!);
    }
    return null;
  } catch (error) {
    return { error };
  }
}

const PROGRESS_BYTES = 64 * 1024 * 1024;

async function collect(
  paths: readonly string[],
  isGit: boolean,
  terminal: Terminal,
): Promise<{ leaks: readonly Leak[]; isComplete: boolean }> {
  const leaks: Leak[] = [];
  let isComplete = true;
  let bytes = 0;
  let shownBytes = 0;
  const events: ScanEvents = {
    onLeak: (leak) => void leaks.push(leak),
    onError(path, error) {
      isComplete = false;
      terminal.err(failureText(new Error(`${path} cannot be read: ${error.message}`)));
    },
    onBytes(count) {
      bytes += count;
      if (bytes - shownBytes < PROGRESS_BYTES) return;
      shownBytes = bytes;
      terminal.progress(`${Math.round(bytes / 1e6)} MB searched`);
    },
  };
  for (const path of paths) {
    if (isGit) await scanHistory(path, events).catch((error) => events.onError(path, error));
    else if (path === STDIN) await scanStream('standard input', process.stdin, events);
    else scanPath(path, events);
  }
  terminal.progress('');
  return { leaks, isComplete };
}

const listLeaks = listCommand({
  words: 'leaks list',
  summary: 'List keys that were reported as leaked, newest first',
  operation: 'listLeaks',
  columns: [
    { field: 'createdAt', title: 'reported' },
    { field: 'keyId', title: 'key', whole: true },
    { field: 'name', title: 'name' },
    { field: 'action', title: 'action' },
    { field: 'isActive', title: 'active' },
    { field: 'source', title: 'source' },
    { field: 'url', title: 'url' },
  ],
  options: {
    project: { value: 'ID', help: 'Only this project (prj_…)' },
    key: { value: 'ID', help: 'Only this API key or access key' },
  },
  examples: ['npx keyward leaks list', 'npx keyward leaks list --key key_…'],
  query: ({ project, key }) => ({ projectId: project, key }),
});

export const scanCommands: readonly Command[] = [scan, listLeaks];
