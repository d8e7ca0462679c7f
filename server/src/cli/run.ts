import { closestMatch } from '../kernel/suggestions.ts';
import { readArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { accessKeyCommands } from './commands/access-keys.ts';
import { accountCommands } from './commands/accounts.ts';
import { auditCommands } from './commands/audit/index.ts';
import { databaseCommands } from './commands/database.ts';
import { edgeCommands } from './commands/edge.ts';
import { importCommands } from './commands/import/index.ts';
import { invitationCommands } from './commands/invitations.ts';
import { keyCommands } from './commands/keys/index.ts';
import { mcpCommands } from './commands/mcp/index.ts';
import { moveCommands } from './commands/move/index.ts';
import { peopleCommands } from './commands/people.ts';
import { creditCommands } from './commands/plans/credits.ts';
import { customerCommands } from './commands/plans/customers.ts';
import { planCommands } from './commands/plans/plans.ts';
import { portalCommands } from './commands/portal.ts';
import { projectCommands } from './commands/projects.ts';
import { refusalCommands } from './commands/refusals.ts';
import { scanCommands } from './commands/scan/index.ts';
import { serverCommands } from './commands/server.ts';
import { usageCommands } from './commands/usage.ts';
import { webhookCommands } from './commands/webhooks/index.ts';
import { failureText, UsageError } from './failure.ts';
import { helpFor, overview } from './help.ts';
import type { Terminal } from './terminal/terminal.ts';

export const COMMANDS: readonly Command[] = [
  ...serverCommands,
  ...edgeCommands,
  ...databaseCommands,
  ...moveCommands,
  ...importCommands,
  ...keyCommands,
  ...planCommands,
  ...customerCommands,
  ...creditCommands,
  ...portalCommands,
  ...accessKeyCommands,
  ...projectCommands,
  ...accountCommands,
  ...invitationCommands,
  ...peopleCommands,
  ...usageCommands,
  ...refusalCommands,
  ...scanCommands,
  ...webhookCommands,
  ...auditCommands,
  ...mcpCommands,
];

/** Runs one command line and returns its exit code. Never throws. */
export async function runCli(argv: readonly string[], terminal: Terminal): Promise<number> {
  let command: Command | undefined;
  try {
    const wanted = withoutHelpWord(argv);
    command = commandIn(wanted);
    if (command === undefined) return await showGroup(wanted, terminal);
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

/** `npx keyward help keys create` is the same as `npx keyward keys create --help`. */
const withoutHelpWord = (argv: readonly string[]): readonly string[] =>
  argv[0] === 'help' && argv.length > 1 ? argv.slice(1) : argv;

const asksForHelp = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  return options.includes('--help') || options.includes('-h');
};

function commandIn(argv: readonly string[]): Command | undefined {
  const [first = '', second = ''] = argv;
  if (first === '--version' || first === '-v') return commandIn(['version']);
  return COMMANDS.find(({ words }) => words === first || words === `${first} ${second}`);
}

/** Shows the overview or a part of it, or suggests the command that was probably meant. */
async function showGroup(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [first, second] = argv;
  if (first === undefined || ['help', '--help', '-h'].includes(first)) {
    terminal.out(overview(COMMANDS, terminal));
    return 0;
  }
  const members = COMMANDS.filter(({ words }) => words.startsWith(`${first} `));
  if (members.length > 0 && (second === undefined || asksForHelp([second]))) {
    terminal.out(overview(members, terminal));
    return 0;
  }
  const typed =
    members.length > 0 || (second && !second.startsWith('-')) ? `${first} ${second}` : first;
  const guess =
    synonymOf(first, second) ??
    closestMatch(
      typed,
      COMMANDS.map(({ words }) => words),
    ) ??
    closestMatch(first, GROUPS);
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

function synonymOf(group: string, word: string | undefined): string | null {
  const meant = `${group} ${SYNONYMS[word ?? '']}`;
  return COMMANDS.some(({ words }) => words === meant) ? meant : null;
}

const GROUPS = [...new Set(COMMANDS.map(({ words }) => words.split(' ')[0]!))];
