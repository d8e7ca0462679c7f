import type { Terminal } from './terminal/terminal.ts';

/** One option: `--name VALUE`, or a switch if `value` is missing. */
interface OptionSpec {
  /** Placeholder for the value in the help. */
  readonly value?: string;
  readonly help: string;
  readonly multiple?: boolean;
  readonly required?: boolean;
}
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

interface ArgumentSpec {
  /** In capitals, as shown in the help. */
  readonly name: string;
  readonly help: string;
  /** One or more. */
  readonly many?: boolean;
  /** Only the last argument can be optional. */
  readonly optional?: boolean;
}

type ValueOf<S extends OptionSpec> = S extends { value: string }
  ? S extends { multiple: true }
    ? string[] | undefined
    : S extends { required: true }
      ? string
      : string | undefined
  : boolean | undefined;

export type ValuesOf<O extends OptionSpecs> = { readonly [Name in keyof O]: ValueOf<O[Name]> };

export interface Invocation<V = unknown> {
  readonly values: V;
  readonly args: readonly string[];
  readonly terminal: Terminal;
}

export interface Command {
  /** As typed: `keys create`. */
  readonly words: string;
  readonly summary: string;
  readonly details?: string;
  readonly args?: readonly ArgumentSpec[];
  readonly options: OptionSpecs;
  readonly examples: readonly string[];
  /** Passes all arguments after the words to `run` unparsed. */
  readonly verbatim?: boolean;
  /** Returns the exit code; undefined means 0. */
  run(invocation: Invocation): Promise<number | undefined>;
}

/** Derives the types of `run` from the options. */
export function defineCommand<const O extends OptionSpecs>(
  command: Omit<Command, 'options' | 'run'> & {
    readonly options: O;
    run(invocation: Invocation<ValuesOf<O>>): Promise<number | undefined>;
  },
): Command {
  return command as Command;
}
