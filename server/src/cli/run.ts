import { closestMatch } from '../kernel/json/suggestions.ts';
import { readArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { edgeCommands } from './commands/edge.ts';
import { failureText, UsageError } from './failure.ts';
import { helpFor, overview } from './help.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Runs one command line and returns its exit code. Never throws. */
export async function runCli(argv: readonly string[], terminal: Terminal): Promise<number> {
  let command: Command | undefined;
  try {
    const wanted = withoutHelpWord(argv);
    const commands = await commandsFor(wanted);
    command = commandIn(commands, wanted);
    if (command === undefined) return showGroup(commands, wanted, terminal);
    const rest = wanted.slice(command.words.split(' ').length);
    if (wanted !== argv || asksForHelp(rest)) {
      terminal.out(helpFor(command, terminal));
      return 0;
    }
    return (await command.run({ ...readArguments(command, rest), terminal })) ?? 0;
  } catch (error) {
    terminal.progress('');
    terminal.err(failureText(error));
    if (!(error instanceof UsageError)) return 1;
    const about = command === undefined ? '' : ` ${command.words}`;
    terminal.err(`See: npx keyward${about} --help\n`);
    return 2;
  }
}

/** An edge loads only its own command: all of them together take 2 MB. */
const commandsFor = async ([first]: readonly string[]): Promise<readonly Command[]> =>
  first === 'edge' ? edgeCommands : (await import('./commands/index.ts')).COMMANDS;

/** `npx keyward help keys create` is the same as `npx keyward keys create --help`. */
const withoutHelpWord = (argv: readonly string[]): readonly string[] =>
  argv[0] === 'help' && argv.length > 1 ? argv.slice(1) : argv;

const asksForHelp = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  return options.includes('--help') || options.includes('-h');
};

function commandIn(commands: readonly Command[], argv: readonly string[]): Command | undefined {
  const [first = '', second = ''] = argv;
  if (first === '--version' || first === '-v') return commandIn(commands, ['version']);
  return commands.find(({ words }) => words === first || words === `${first} ${second}`);
}

/** Shows the overview or a part of it, or suggests the command that was probably meant. */
function showGroup(
  commands: readonly Command[],
  argv: readonly string[],
  terminal: Terminal,
): number {
  const [first, second] = argv;
  if (first === undefined || ['help', '--help', '-h'].includes(first)) {
    terminal.out(overview(commands, terminal));
    return 0;
  }
  const members = commands.filter(({ words }) => words.startsWith(`${first} `));
  if (members.length > 0 && (second === undefined || asksForHelp([second]))) {
    terminal.out(overview(members, terminal));
    return 0;
  }
  const typed =
    members.length > 0 || (second && !second.startsWith('-')) ? `${first} ${second}` : first;
  const names = commands.map(({ words }) => words);
  const guess =
    synonymOf(names, first, second) ??
    closestMatch(typed, names) ??
    closestMatch(first, [...new Set(names.map((words) => words.split(' ')[0]!))]);
  throw new UsageError(
    `there is no command ${JSON.stringify(typed)}${guess === null ? '' : `; did you mean: npx keyward ${guess}?`}`,
  );
}

/** Words of other tools for our commands. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ...{ show: 'get', info: 'get', view: 'get', ls: 'list' },
  ...{ add: 'create', new: 'create', edit: 'update', set: 'update' },
  ...{ remove: 'delete', rm: 'delete' },
};

function synonymOf(
  names: readonly string[],
  group: string,
  word: string | undefined,
): string | null {
  const meant = `${group} ${SYNONYMS[word ?? '']}`;
  return names.includes(meant) ? meant : null;
}
