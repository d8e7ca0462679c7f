import { KeywardError } from 'keyward';
import { packageVersion } from '../../kernel/files.ts';
import { Api } from '../api.ts';
import { type Command, defineCommand } from '../command.ts';
import { failureText } from '../failure.ts';
import { ACCESS_KEY_OPTIONS, SERVER_OPTIONS, serverOf } from '../resource-command.ts';
import { printRecord } from '../terminal/table.ts';

interface Status {
  readonly server: string;
  readonly version: string;
  readonly ready: boolean;
  readonly state: string;
  readonly accessKey: 'accepted' | 'refused' | 'none';
}

const status = defineCommand({
  words: 'status',
  summary:
    'Show which server commands call, whether it is ready, and whether it accepts the access key',
  details: 'Exit code 1 if the server is not ready, or refuses the access key.',
  options: { ...SERVER_OPTIONS, ...ACCESS_KEY_OPTIONS },
  examples: ['npx keyward status', 'npx keyward status --profile production --json'],
  async run({ values, terminal }) {
    const { url, accessKey } = serverOf(terminal, values);
    const api = new Api(url, { kind: 'none' });
    const { version } = await api.call<{ version: string }>('product');
    const state = await failureOf(() => api.call('readiness'));
    const found: Status = {
      server: url,
      version:
        version === packageVersion() ? version : `${version} (this command: ${packageVersion()})`,
      ready: state === null,
      state:
        state === null
          ? 'ready'
          : failureText(state)
              .split('\n')[0]!
              .replace(/^keyward: /, ''),
      accessKey:
        accessKey === null ? 'none' : (await isAccepted(url, accessKey)) ? 'accepted' : 'refused',
    };
    if (values.json) terminal.out(`${JSON.stringify(found, null, 2)}\n`);
    else
      printRecord(terminal, {
        server: found.server,
        version: found.version,
        state: found.state,
        'access key': found.accessKey,
      });
    return found.ready && found.accessKey !== 'refused' ? 0 : 1;
  },
});

async function failureOf(call: () => Promise<unknown>): Promise<KeywardError | null> {
  try {
    await call();
    return null;
  } catch (error) {
    if (error instanceof KeywardError) return error;
    throw error;
  }
}

/** Which scopes the key has does not matter: a missing one means that the server knows the key. */
export async function isAccepted(url: string, value: string): Promise<boolean> {
  const api = new Api(url, { kind: 'access-key', value });
  const failure = await failureOf(() => api.call('listProjects', { query: { limit: 1 } }));
  if (failure === null || failure.statusCode === 403) return true;
  if (failure.statusCode === 401) return false;
  throw failure;
}

export const statusCommands: readonly Command[] = [status];
