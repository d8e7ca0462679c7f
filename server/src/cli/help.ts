import type { Command, OptionSpecs } from './command.ts';
import type { Terminal } from './terminal/terminal.ts';

const WIDTH = 100;

/** All commands, grouped by their first word. */
export function overview(commands: readonly Command[], terminal: Terminal): string {
  const firstWords = new Set(
    commands.filter(({ words }) => words.includes(' ')).map(({ words }) => words.split(' ')[0]!),
  );
  const groups = Map.groupBy(commands, ({ words }) => {
    const [first = ''] = words.split(' ');
    return firstWords.has(first) ? first : '';
  });
  const width = Math.max(...commands.map(({ words }) => words.length));
  const sections = [...groups].map(([group, members]) => {
    const title = terminal.style('bold', group === '' ? 'General' : group);
    const lines = members.map(({ words, summary }) => entry(words, width, summary));
    return `${title}\n${lines.join('\n')}`;
  });
  return `${INTRODUCTION}\n\n${sections.join('\n\n')}\n\n${CLOSING}\n`;
}

const INTRODUCTION = `keyward: issue, store and validate API keys

Usage: npx keyward COMMAND [OPTIONS]
       npx keyward COMMAND --help      how to use one command, with examples`;

const CLOSING = `Commands on keys, access keys, projects and the like call the running server:
  KEYWARD_URL         where it runs, default http://127.0.0.1:8080     (or --url)
  KEYWARD_ACCESS_KEY  the access key to call with                      (or --access-key)
  KEYWARD_PROFILE     both, as stored by \`npx keyward login\`           (or --profile)

Lost your access key? On the server machine, with the same KEYWARD_DATA_DIR:
  npx keyward accounts list
  npx keyward access-keys create --name recovered --account acc_…

Exit codes: 0 success, 1 refused, rejected or failed, 2 wrong command line. The help of a command names its own, if it has any.`;

export function helpFor(command: Command, terminal: Pick<Terminal, 'style'>): string {
  const { words, summary, details, args = [], options, examples } = command;
  const shape = [
    `npx keyward ${words}`,
    ...args.map(({ name, many, optional }) => (many ? `${name}…` : optional ? `[${name}]` : name)),
    ...Object.entries(options)
      .filter(([, spec]) => spec.required)
      .map(([name, spec]) => `--${name} ${spec.value}`),
    ...(Object.keys(options).length > 0 ? ['[OPTIONS]'] : []),
  ];
  const title = (text: string) => terminal.style('bold', text);
  const sections = [
    `${summary}\n\nUsage: ${shape.join(' ')}`,
    details && wrap(details, WIDTH).join('\n'),
    (args.length > 0 || Object.keys(options).length > 0) && entries(args, options),
    `${title('Examples')}\n${examples.map((example) => `  ${example}`).join('\n')}`,
  ];
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

function entries(args: NonNullable<Command['args']>, options: OptionSpecs): string {
  const rows = [
    ...args.map(({ name, help }) => [name, help] as const),
    ...Object.entries(options).map(
      ([name, { value, help }]) => [`--${name}${value ? ` ${value}` : ''}`, help] as const,
    ),
    ['--help', 'Show this help'] as const,
  ];
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, help]) => entry(left, width, help)).join('\n');
}

function entry(left: string, width: number, text: string): string {
  const indent = ' '.repeat(width + 4);
  const [first, ...rest] = wrap(text, WIDTH - indent.length);
  return [`  ${left.padEnd(width)}  ${first}`, ...rest.map((line) => indent + line)].join('\n');
}

/** Wraps text into lines of at most `width`; keeps blank lines. */
function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines = [''];
    for (const word of paragraph.split(' ')) {
      const last = lines.at(-1)!;
      if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
      else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
    }
    return lines;
  });
}
