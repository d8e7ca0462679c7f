import { type Command, defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';

/** The shell knows all words and options from the script, so that completing them starts no Node.js process. */
const SHELLS = {
  bash: (commands: readonly Command[]): string => {
    const cases = commands.map(
      (command) => `    ${pattern(command)}) words='${optionsOf(command).join(' ')}' ;;`,
    );
    return `# Bash completion of keyward. Load it with: source <(npx keyward completion bash)
_keyward() {
  local current=\${COMP_WORDS[COMP_CWORD]} words='' start=1
  [ "\${COMP_WORDS[0]}" = npx ] && start=2
  COMPREPLY=()
  case "\${COMP_WORDS[*]:start:COMP_CWORD-start}" in
    '') words='${firstWords(commands).join(' ')}' ;;
${groups(commands)
  .map(([group, members]) => `    ${group}) words='${members.join(' ')}' ;;`)
  .join('\n')}
${cases.join('\n')}
  esac
  [ -z "$words" ] && { compopt -o default 2>/dev/null; return; }
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _keyward keyward
`;
  },
  zsh: (commands: readonly Command[]): string => `#compdef keyward
# Zsh completion of keyward. Load it with: source <(npx keyward completion zsh)
_keyward() {
  local -a candidates
  case "\${words[2,CURRENT-1]}" in
    '') candidates=(${described(firstWords(commands), commands)}) ;;
${groups(commands)
  .map(
    ([group, members]) =>
      `    ${group}) candidates=(${described(members, commands, `${group} `)}) ;;`,
  )
  .join('\n')}
${commands
  .map((command) => {
    const options = Object.entries(command.options).map(([name, { help }]) =>
      quoted(`--${name}:${firstSentence(help)}`),
    );
    return `    ${pattern(command)}) candidates=(${[...options, quoted('--help:Show the help')].join(' ')}) ;;`;
  })
  .join('\n')}
  esac
  [[ "\${words[CURRENT]}" != -* && "\${words[CURRENT-1]}" == --* ]] && { _files; return; }
  _describe keyward candidates || _files
}
compdef _keyward keyward
`,
  fish: (commands: readonly Command[]): string => {
    const lines = [
      '# Fish completion of keyward. Load it with: npx keyward completion fish | source',
    ];
    const seen = new Set<string>();
    for (const { words, summary, options } of commands) {
      const [first = '', second] = words.split(' ');
      if (!seen.has(first)) {
        const help = second === undefined ? summary : `Commands on ${first}`;
        lines.push(
          `complete -c keyward -f -n __fish_use_subcommand -a ${first} -d ${quoted(help)}`,
        );
      }
      seen.add(first);
      const at = second
        ? `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`
        : `__fish_seen_subcommand_from ${first}`;
      if (second)
        lines.push(
          `complete -c keyward -f -n '__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${membersOf(first, commands).join(' ')}' -a ${second} -d ${quoted(summary)}`,
        );
      for (const [name, { value, help }] of Object.entries(options))
        lines.push(
          `complete -c keyward -n '${at}' -l ${name}${value === undefined ? '' : ' -r'} -d ${quoted(firstSentence(help))}`,
        );
    }
    return `${lines.join('\n')}\n`;
  },
} as const;

const isShell = (name: string): name is keyof typeof SHELLS => Object.hasOwn(SHELLS, name);

const optionsOf = ({ options }: Command): string[] => [
  ...Object.keys(options).map((name) => `--${name}`),
  '--help',
];

const firstWords = (commands: readonly Command[]): string[] => [
  ...new Set(commands.map(({ words }) => words.split(' ')[0]!)),
];

const membersOf = (group: string, commands: readonly Command[]): string[] =>
  commands
    .filter(({ words }) => words.startsWith(`${group} `))
    .map(({ words }) => words.slice(group.length + 1));

/** \`keys\`: its second words. */
const groups = (commands: readonly Command[]) =>
  firstWords(commands)
    .map((group) => [group, membersOf(group, commands)] as const)
    .filter(([group, members]) => members.length > 0 && !commands.some((c) => c.words === group));

/** Matches the words of a command and everything that follows them. */
const pattern = ({ words }: Command): string => {
  const escaped = words.replaceAll(' ', '\\ ');
  return `${escaped}|${escaped}\\ *`;
};

const described = (names: readonly string[], commands: readonly Command[], prefix = ''): string =>
  names
    .map((name) => {
      const command = commands.find(({ words }) => words === `${prefix}${name}`);
      return quoted(`${name}:${command?.summary ?? `Commands on ${name}`}`);
    })
    .join(' ');

const firstSentence = (text: string): string => text.split(/[.;\n]/)[0]!;

/** In single quotes, for each of the shells. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’').replaceAll('`', '')}'`;

export const completionCommand = (all: () => readonly Command[]): Command =>
  defineCommand({
    words: 'completion',
    summary: 'Print a script that completes commands and options in your shell',
    args: [
      {
        name: 'SHELL',
        help: Object.keys(SHELLS)
          .join(', ')
          .replace(/, (\w+)$/, ' or $1'),
      },
    ],
    options: {},
    examples: [
      'source <(npx keyward completion bash)',
      'npx keyward completion fish > ~/.config/fish/completions/keyward.fish',
    ],
    async run({ args: [shell = ''], terminal }) {
      if (!isShell(shell))
        throw new UsageError(
          `there is no completion for ${JSON.stringify(shell)}; only for ${Object.keys(SHELLS).join(', ')}`,
        );
      terminal.out(SHELLS[shell](all()));
      return 0;
    },
  });
