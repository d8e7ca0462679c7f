import { type Command, defineCommand } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { ACCESS_KEY_OPTIONS, apiFor, SERVER_OPTIONS } from '../../resource-command.ts';

const mcp = defineCommand({
  words: 'mcp',
  summary: 'Let an AI agent manage keys, over the Model Context Protocol',
  details:
    'An agent starts this command and talks to it over standard input and output. It can do what the scopes of the access key allow, and nothing else.\n\nIt makes keys only with --values-file: their values are appended to that file, which only you can read, one line of JSON for each. With --show-values, the agent sees them.',
  options: {
    'show-values': { help: 'Let the agent make keys and see their values' },
    'values-file': {
      value: 'FILE',
      help: 'Let the agent make keys, and store their values here',
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
    await serveMcp(api, values['show-values'] ? 'shown' : file === undefined ? 'none' : { file });
    return 0;
  },
});

export const mcpCommands: readonly Command[] = [mcp];
