import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Command, defineCommand } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { ACCESS_KEY_OPTIONS, apiFor, SERVER_OPTIONS } from '../../resource-command.ts';

const DEFAULT_FILE = 'keyward-values.ndjson';

const mcp = defineCommand({
  words: 'mcp',
  summary: 'Let an AI agent manage keys, over the Model Context Protocol',
  details:
    'An agent starts this command and talks to it over standard input and output. It can do what the scopes of the access key allow, and nothing else.\n\nThe agent does not see the values of new keys: they are appended to a file that only you can read, one line of JSON for each.',
  options: {
    'show-values': { help: 'Show the values of new keys to the agent instead' },
    'values-file': {
      value: 'FILE',
      help: `Where the values of new keys are stored. Default: ${DEFAULT_FILE} in your home directory`,
    },
    url: SERVER_OPTIONS.url,
    ...ACCESS_KEY_OPTIONS,
  },
  examples: ['npx keyward mcp', 'npx keyward mcp --values-file ./new-keys.ndjson'],
  async run({ values, terminal }) {
    const file = values['values-file'];
    if (values['show-values'] && file !== undefined)
      throw new UsageError('--show-values and --values-file exclude each other');
    const api = apiFor(terminal, values);
    // Loaded when the command runs: no other command needs the protocol.
    const { serveMcp } = await import('./server.ts');
    await serveMcp(api, values['show-values'] ? null : (file ?? join(homedir(), DEFAULT_FILE)));
    return 0;
  },
});

export const mcpCommands: readonly Command[] = [mcp];
