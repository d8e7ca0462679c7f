import { KeywardError } from 'keyward';
import { Api } from './api.ts';
import { type Command, defineCommand, type OptionSpecs, type ValuesOf } from './command.ts';
import { UsageError } from './failure.ts';
import { type Credential, dataDirectoryOf, operatorCredential } from './operator.ts';
import { namedProfile, type Profile, readProfiles } from './profiles.ts';
import { Output } from './terminal/output.ts';
import type { Terminal } from './terminal/terminal.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';

export const SERVER_OPTIONS = {
  url: {
    value: 'URL',
    help: `Address of the server. Default: KEYWARD_URL, else that of the profile, else ${DEFAULT_URL}`,
  },
  json: { help: 'Print the response of the server as JSON, for scripts' },
} as const satisfies OptionSpecs;

export const ACCESS_KEY_OPTIONS = {
  'access-key': {
    value: 'VALUE',
    help: 'The access key. Default: KEYWARD_ACCESS_KEY, which keeps it out of the shell history, else that of the profile',
  },
  profile: {
    value: 'NAME',
    help: 'The server and access key of `npx keyward login`. Default, if neither an address nor an access key is given: KEYWARD_PROFILE, else the last one logged in to',
  },
} as const satisfies OptionSpecs;

const OPERATOR_OPTIONS = {
  operator: { help: 'Act as the operator even if an access key is set' },
  'data-dir': {
    value: 'DIRECTORY',
    help: 'The data directory with the root secret, to act as the operator. Default: KEYWARD_DATA_DIR, else ./data',
  },
} as const satisfies OptionSpecs;

type ServerOptions = typeof SERVER_OPTIONS & typeof ACCESS_KEY_OPTIONS & typeof OPERATOR_OPTIONS;
type ServerValues = Partial<ValuesOf<ServerOptions>>;

/**
 * Who may run a command: `never` needs an access key; `allowed` uses the operator if no access key is
 * set; `only` is for the operator and ignores the access key.
 */
type OperatorUse = 'never' | 'allowed' | 'only';

const OPTIONS_FOR: Record<OperatorUse, OptionSpecs> = {
  never: { ...SERVER_OPTIONS, ...ACCESS_KEY_OPTIONS },
  allowed: { ...SERVER_OPTIONS, ...ACCESS_KEY_OPTIONS, ...OPERATOR_OPTIONS },
  only: { ...SERVER_OPTIONS, ...OPERATOR_OPTIONS },
};

const ROOT_SECRET = 'the root secret (KEYWARD_SECRET, or the file `secret` in the data directory)';

const DETAILS_FOR: Record<OperatorUse, string> = {
  never: '',
  allowed: `Without an access key this command acts as the operator, who can read ${ROOT_SECRET}. That is also how a lost access key is replaced.`,
  only: `This command acts as the operator, who can read ${ROOT_SECRET}. KEYWARD_ACCESS_KEY is ignored.`,
};

export interface ResourceCall<V> {
  readonly api: Api;
  readonly out: Output;
  readonly values: V;
  readonly args: readonly string[];
  readonly terminal: Terminal;
  readonly asOperator: boolean;
}

/** A command that calls the running server. */
export function resourceCommand<const O extends OptionSpecs>(
  command: Omit<Command, 'options' | 'run'> & {
    readonly options?: O;
    /** Default: `never`. */
    readonly operator?: OperatorUse;
    run(call: ResourceCall<ValuesOf<O>>): Promise<number | undefined>;
  },
): Command {
  const { operator = 'never', options, run, details, ...rest } = command;
  const shown = [details, DETAILS_FOR[operator]].filter(Boolean).join('\n\n');
  return defineCommand({
    ...rest,
    ...(shown && { details: shown }),
    options: { ...options, ...OPTIONS_FOR[operator] },
    async run({ values, args, terminal }) {
      const server = values as ServerValues;
      const { url, credential } = targetOf(terminal, server, operator);
      const calling = run({
        api: new Api(url, credential),
        out: new Output(terminal, server.json ?? false),
        values: values as ValuesOf<O>,
        args,
        terminal,
        asOperator: credential.kind === 'operator',
      });
      if (operator !== 'allowed' || credential.kind === 'operator') return calling;
      return calling.catch(suggestOperator);
    },
  });
}

const REFUSED_CREDENTIAL = new Set([401, 403, 404]);

/** The access key may be wrong, or belong to another account. The operator needs none. */
function suggestOperator(error: unknown): never {
  if (error instanceof KeywardError && REFUSED_CREDENTIAL.has(error.statusCode ?? 0))
    error.message +=
      ' This was called with an access key. On the machine of the server, add --operator to act as the operator.';
  throw error;
}

interface Target {
  readonly url: string;
  readonly credential: Credential;
}

/**
 * The address and the access key come both from a profile, or both from options and variables: a key is never sent
 * to a server that it was not given for.
 */
function targetOf(terminal: Terminal, values: ServerValues, operator: OperatorUse): Target {
  if (values.operator && values.profile !== undefined)
    throw new UsageError('--operator uses no profile: name the server with --url');
  if (operator === 'only' || values.operator)
    return {
      url: baseUrl(values.url ?? (terminal.env.KEYWARD_URL || undefined)),
      credential: operatorOrNobody(terminal, values, operator),
    };
  const { url, accessKey } = serverOf(terminal, values);
  const credential: Credential =
    accessKey === null
      ? operatorOrNobody(terminal, values, operator)
      : { kind: 'access-key', value: accessKey };
  return { url, credential };
}

/** null: options, variables and defaults apply. */
function profileOf(
  terminal: Terminal,
  values: ServerValues,
  given: string | undefined,
): Profile | null {
  const named = values.profile ?? (terminal.env.KEYWARD_PROFILE || undefined);
  if (values.profile !== undefined && (values.url ?? values['access-key']) !== undefined)
    throw new UsageError(
      '--profile has its own address and access key: omit --url and --access-key',
    );
  if (named !== undefined && (values.profile !== undefined || given === undefined))
    return namedProfile(readProfiles(terminal), named);
  if (given !== undefined) return null;
  const stored = readProfiles(terminal);
  return stored.current === null ? null : namedProfile(stored, stored.current);
}

function operatorOrNobody(
  terminal: Terminal,
  values: ServerValues,
  operator: OperatorUse,
): Credential {
  if (operator !== 'never')
    return operatorCredential(terminal, dataDirectoryOf(terminal, values['data-dir']), operator);
  throw new UsageError(
    'no access key is given: set KEYWARD_ACCESS_KEY, use --access-key, or store one with `npx keyward login`. Lost it? `npx keyward access-keys create` creates another on the machine of the server',
  );
}

/** The address that commands call, and the access key, or null if there is none. */
export function serverOf(
  terminal: Terminal,
  values: ServerValues,
): { readonly url: string; readonly accessKey: string | null } {
  const { env } = terminal;
  const url = values.url ?? (env.KEYWARD_URL || undefined);
  const accessKey = values['access-key'] ?? (env.KEYWARD_ACCESS_KEY || undefined);
  const profile = profileOf(terminal, values, url ?? accessKey);
  return {
    url: baseUrl(profile?.url ?? url),
    accessKey: profile?.accessKey ?? accessKey ?? null,
  };
}

/** For a command that needs the server only with some of its options. */
export function apiFor(terminal: Terminal, values: ServerValues): Api {
  const { url, credential } = targetOf(terminal, values, 'never');
  return new Api(url, credential);
}

/** Without a trailing slash. */
export function baseUrl(text: string | undefined): string {
  const url = URL.parse(text || DEFAULT_URL);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${JSON.stringify(text)} is not an http or https address`);
  return (url.origin + url.pathname).replace(/\/+$/, '');
}
