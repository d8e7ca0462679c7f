import { Api } from './api.ts';
import { type Command, defineCommand, type OptionSpecs, type ValuesOf } from './command.ts';
import { UsageError } from './failure.ts';
import { type Credential, dataDirectoryOf, operatorCredential } from './operator.ts';
import { Output } from './output.ts';
import type { Terminal } from './terminal.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';

const SERVER_OPTIONS = {
  url: { value: 'URL', help: `Where the server runs. Default: KEYWARD_URL, else ${DEFAULT_URL}` },
  'access-key': {
    value: 'VALUE',
    help: 'The access key to call with. Default: KEYWARD_ACCESS_KEY, which keeps it out of the shell history',
  },
  json: { help: 'Print what the server answers, for scripts' },
} as const satisfies OptionSpecs;

const OPERATOR_OPTIONS = {
  operator: { help: 'Act as the operator even though an access key is set' },
  'data-dir': {
    value: 'DIRECTORY',
    help: 'Where the root secret lies, to act as the operator. Default: KEYWARD_DATA_DIR, else ./data',
  },
} as const satisfies OptionSpecs;

const OPERATOR_DETAILS =
  'Without an access key this command acts as the operator: whoever can read the root secret (KEYWARD_SECRET, or the file `secret` in the data directory). That is also how a lost access key is replaced.';

type ServerValues = ValuesOf<typeof SERVER_OPTIONS & typeof OPERATOR_OPTIONS>;

export interface ResourceCall<V> {
  readonly api: Api;
  readonly out: Output;
  readonly values: V;
  readonly args: readonly string[];
  readonly terminal: Terminal;
  readonly asOperator: boolean;
}

/** A command that asks the running server. */
export function resourceCommand<const O extends OptionSpecs>(
  command: Omit<Command, 'options' | 'run'> & {
    readonly options?: O;
    /** May be run without an access key, by whoever holds the root secret. */
    readonly operator?: boolean;
    run(call: ResourceCall<ValuesOf<O>>): Promise<number | undefined>;
  },
): Command {
  const { operator = false, options, run, details, ...rest } = command;
  const shown = [details, operator && OPERATOR_DETAILS].filter(Boolean).join('\n\n');
  return defineCommand({
    ...rest,
    ...(shown && { details: shown }),
    options: { ...options, ...SERVER_OPTIONS, ...(operator && OPERATOR_OPTIONS) },
    run({ values, args, terminal }) {
      const server = values as ServerValues;
      const credential = credentialFor(terminal, server, operator);
      return run({
        api: new Api(baseUrl(server.url ?? terminal.env.KEYWARD_URL), credential),
        out: new Output(terminal, server.json ?? false),
        values: values as ValuesOf<O>,
        args,
        terminal,
        asOperator: credential.kind === 'operator',
      });
    },
  });
}

function credentialFor(terminal: Terminal, values: ServerValues, operator: boolean): Credential {
  const value = values['access-key'] ?? terminal.env.KEYWARD_ACCESS_KEY;
  if (value && !values.operator) return { kind: 'access-key', value };
  if (operator) return operatorCredential(terminal, dataDirectoryOf(terminal, values['data-dir']));
  throw new UsageError(
    'no access key is given: set KEYWARD_ACCESS_KEY, or use --access-key. Lost it? `keyward access-keys create` makes another on the machine of the server',
  );
}

function baseUrl(text: string | undefined): string {
  const url = URL.parse(text || DEFAULT_URL);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${JSON.stringify(text)} is not an http or https address`);
  return (url.origin + url.pathname).replace(/\/+$/, '');
}
