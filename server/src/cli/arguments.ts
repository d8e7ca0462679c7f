import { parseArgs } from 'node:util';
import { closestMatch } from '../kernel/json/suggestions.ts';
import type { Command, Invocation } from './command.ts';
import { UsageError } from './failure.ts';

export type Arguments = Pick<Invocation, 'values' | 'args'>;

/** Parses the arguments after the words of the command. Throws a UsageError that names the problem. */
export function readArguments(command: Command, argv: readonly string[]): Arguments {
  if (command.verbatim) return { values: {}, args: argv };
  const { values, positionals } = parse(command, argv);
  for (const [name, spec] of Object.entries(command.options))
    if (spec.required && values[name] === undefined) throw new UsageError(`--${name} is missing`);
  checkCount(command, positionals);
  return { values, args: positionals };
}

function parse(command: Command, argv: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, spec]) => [
      name,
      {
        type: spec.value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: spec.multiple ?? false,
      },
    ]),
  );
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(explain(error, Object.keys(options)));
  }
}

function explain(error: unknown, names: readonly string[]): string {
  const { code, message } = error as Error & { code?: string };
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return message.split('\n')[0]!.split('. ')[0]!;
  const wrong = /'(-[^']*)'/.exec(message)?.[1] ?? '';
  const guess = closestMatch(wrong.replace(/^-+/, ''), names);
  return `there is no option ${wrong}${guess === null ? '' : `; did you mean --${guess}?`}`;
}

function checkCount(command: Command, given: readonly string[]): void {
  const wanted = command.args ?? [];
  const missing = wanted[given.length];
  if (missing && !missing.optional) throw new UsageError(`${missing.name} is missing`);
  if (given.length > wanted.length && !wanted.at(-1)?.many)
    throw new UsageError(`one argument too many: ${JSON.stringify(given[wanted.length])}`);
}
