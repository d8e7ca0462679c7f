import type { Terminal } from './terminal/terminal.ts';

/** One option: `--name VALUE`, or a switch when `value` is left out. */
interface OptionSpec {
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly help: string;
  readonly multiple?: boolean;
  readonly required?: boolean;
}
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

interface ArgumentSpec {
  /** In capitals, as the help shows it. */
  readonly name: string;
  readonly help: string;
  /** One or more. */
  readonly many?: boolean;
  /** May be left out; only the last. */
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
  /** Hands everything after the words on as it is; somebody else reads the options. */
  readonly verbatim?: boolean;
  /** The exit code; nothing means 0. */
  run(invocation: Invocation): Promise<number | undefined>;
}

/** Gives `run` the types that its options say. */
export function defineCommand<const O extends OptionSpecs>(
  command: Omit<Command, 'options' | 'run'> & {
    readonly options: O;
    run(invocation: Invocation<ValuesOf<O>>): Promise<number | undefined>;
  },
): Command {
  return command as Command;
}
