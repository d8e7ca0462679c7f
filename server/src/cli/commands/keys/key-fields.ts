import type { OptionSpecs } from '../../command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { readSecretArgument } from '../../values.ts';

/** Option of both create and update. */
export const VALUE_OPTION = {
  key: {
    value: 'VALUE',
    help: 'Your own value instead of a generated one; - reads it from standard input',
  },
} as const satisfies OptionSpecs;

export const ownValue = async (terminal: Terminal, key: string | undefined) =>
  key === undefined ? {} : { key: await readSecretArgument(terminal, key) };

export const KEY_ARGUMENT = {
  name: 'KEY',
  help: 'The id (key_…) or the value of the key; - reads it from standard input',
};

export const keyPath = async (terminal: Terminal, argument: string) => ({
  key: await readSecretArgument(terminal, argument),
});
