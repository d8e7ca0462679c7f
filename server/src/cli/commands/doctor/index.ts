import { type Config, readConfig } from '../../../app/config.ts';
import { packageVersion } from '../../../kernel/files.ts';
import { type Command, defineCommand } from '../../command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { serverOptions } from '../server.ts';
import { type Finding, messageOf, ok, problem, warning } from './finding.ts';

type Check = (config: Config) => Finding[] | Promise<Finding[]>;

const STYLES = { ok: 'green', warning: 'bold', problem: 'red' } as const;

const doctor = defineCommand({
  words: 'doctor',
  summary: 'Check settings, files, database, Redis, mail, port, clock and proxies of this machine',
  details:
    'Run it as the user of the server, with the same settings. It changes nothing, also while the server runs. Exit code 1 if there is a problem.',
  verbatim: true,
  options: serverOptions,
  examples: ['npx keyward doctor', 'npx keyward doctor --data-dir /var/lib/keyward --port 9000'],
  async run({ args, terminal }) {
    let problems = 0;
    for await (const finding of findings([...args], terminal)) {
      if (finding.level === 'problem') problems++;
      show(terminal, finding);
    }
    terminal.out(
      problems === 0
        ? '\nNo problem was found.\n'
        : `\n${problems === 1 ? '1 problem was' : `${problems} problems were`} found.\n`,
    );
    return problems === 0 ? 0 : 1;
  },
});

async function* findings(argv: readonly string[], terminal: Terminal): AsyncGenerator<Finding> {
  yield ok(
    `Keyward ${packageVersion()} on Node ${process.versions.node}, ${process.platform} ${process.arch}`,
  );
  let config: Config;
  try {
    config = readConfig(argv, terminal.env as NodeJS.ProcessEnv);
  } catch (error) {
    yield problem(`settings: ${messageOf(error)}`, 'See docs/reference/configuration.md.');
    return;
  }
  yield ok('settings: valid');
  for (const message of config.retired) yield warning(`settings: ${message}`, 'Remove it.');
  // Loaded when the command runs: the help needs none of this.
  const [
    { checkDataDirectory },
    { checkPostgres, checkRedis, checkMail },
    { checkPort, checkPublicUrl },
  ] = await Promise.all([
    import('./data-directory.ts'),
    import('./engines.ts'),
    import('./reachable.ts'),
  ]);
  const checks: Check[] = [
    checkDataDirectory,
    checkPostgres,
    checkRedis,
    checkMail,
    checkPort,
    checkPublicUrl,
  ];
  for (const check of checks) yield* await check(config);
}

function show(terminal: Terminal, { level, what, remedy }: Finding): void {
  terminal.out(`${terminal.style(STYLES[level], level.padEnd(7))}  ${what}\n`);
  if (remedy !== undefined) terminal.out(`         → ${remedy}\n`);
}

export const doctorCommands: readonly Command[] = [doctor];
