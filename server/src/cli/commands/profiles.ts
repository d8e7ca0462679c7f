import { type Command, defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';
import { checkProfileName, namedProfile, readProfiles, writeProfiles } from '../profiles.ts';
import { baseUrl } from '../resource-command.ts';
import { Table } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { isAccepted } from './status.ts';

const DEFAULT_NAME = 'default';

const login = defineCommand({
  words: 'login',
  summary: 'Store the address and an access key of a server, for the next commands',
  details:
    'Asks for the access key, or reads it from standard input, and tries it. It is stored in a file that only you can read: `~/.config/keyward/profiles.json`, or below XDG_CONFIG_HOME. KEYWARD_URL and KEYWARD_ACCESS_KEY take precedence over it.',
  args: [{ name: 'URL', help: 'The address of the server, for example https://keys.example.com' }],
  options: {
    profile: {
      value: 'NAME',
      help: `A name for this server, to choose it with --profile or KEYWARD_PROFILE. Default: ${DEFAULT_NAME}`,
    },
  },
  examples: [
    'npx keyward login http://127.0.0.1:8080',
    'npx keyward login https://keys.example.com --profile production < access-key.txt',
  ],
  async run({ args, values, terminal }) {
    const name = checkProfileName(values.profile ?? DEFAULT_NAME);
    const url = baseUrl(args[0]);
    const stored = readProfiles(terminal);
    const accessKey = await askForAccessKey(terminal);
    if (!(await isAccepted(url, accessKey)))
      throw new Error(`${url} does not know this access key, or it was revoked or has expired.`);
    const profiles = { ...stored.profiles, [name]: { url, accessKey } };
    const file = writeProfiles(terminal, { current: name, profiles });
    terminal.out(`Commands now use ${url} (profile ${name}, stored in ${file}).\n`);
    return 0;
  },
});

const askForAccessKey = async (terminal: Terminal): Promise<string> => {
  const asked = await terminal.askSecret?.('Access key (it is not shown): ');
  const value = (asked ?? (await terminal.readInput())).trim();
  if (value === '') throw new UsageError('no access key was given');
  return value;
};

const logout = defineCommand({
  words: 'logout',
  summary: 'Remove the stored access key of a server',
  details: 'The access key itself stays valid. To revoke it: `npx keyward access-keys revoke`.',
  options: { profile: { value: 'NAME', help: 'Which one. Default: the current one' } },
  examples: ['npx keyward logout', 'npx keyward logout --profile production'],
  async run({ values, terminal }) {
    const stored = readProfiles(terminal);
    const name = values.profile ?? stored.current;
    if (name === null) throw new UsageError('nothing to remove: no profile is stored or chosen');
    namedProfile(stored, name);
    const { [name]: _, ...profiles } = stored.profiles;
    const current = stored.current === name ? null : stored.current;
    writeProfiles(terminal, { current, profiles });
    terminal.out(`The access key of profile ${name} was removed from this machine.\n`);
    return 0;
  },
});

const list = defineCommand({
  words: 'profiles list',
  summary: 'List the stored servers',
  options: { json: { help: 'Print them as JSON, for scripts; never with access keys' } },
  examples: ['npx keyward profiles list'],
  async run({ values, terminal }) {
    const { current, profiles } = readProfiles(terminal);
    const rows = Object.entries(profiles).map(([name, { url }]) => ({
      name,
      url,
      isCurrent: name === current,
    }));
    if (values.json) terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
    else if (rows.length === 0)
      terminal.out('No server is stored. See: npx keyward login --help\n');
    else new Table(terminal, COLUMNS).print(rows);
    return 0;
  },
});

const COLUMNS = [
  { field: 'name', title: 'name', whole: true },
  { field: 'url', title: 'address', whole: true },
  { field: 'isCurrent', title: 'current' },
];

const use = defineCommand({
  words: 'profiles use',
  summary: 'Choose the server that the next commands call',
  args: [{ name: 'NAME', help: 'The name given to `npx keyward login --profile`' }],
  options: {},
  examples: ['npx keyward profiles use production'],
  async run({ args: [name = ''], terminal }) {
    const stored = readProfiles(terminal);
    const { url } = namedProfile(stored, name);
    writeProfiles(terminal, { ...stored, current: name });
    terminal.out(`Commands now use ${url} (profile ${name}).\n`);
    return 0;
  },
});

export const profileCommands: readonly Command[] = [login, logout, list, use];
