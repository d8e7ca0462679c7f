import { readFileSync } from 'node:fs';
import { KeywardError } from 'keyward';
import type { Api } from '../../api.ts';
import type { Command } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { resourceCommand } from '../../resource-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { readRateLimit } from '../../values.ts';
import { FRAMEWORKS, type FrameworkName, frameworkIn, isFramework } from './frameworks.ts';

const MANIFESTS = ['package.json', 'requirements.txt', 'pyproject.toml', 'Pipfile', 'go.mod'];
const DEFAULT_NAME = 'First key';
const DEFAULT_LIMIT = '60/60';
const NAMES = Object.keys(FRAMEWORKS).join(', ');

const init = resourceCommand({
  words: 'init',
  summary: 'Protect an API: make a key, and print the code for your framework',
  details:
    'Asks for what no option says, and proposes the framework that it finds in package.json, requirements.txt, pyproject.toml or go.mod of this folder. It makes one API key to try, and an access key that can only validate, for your API. It writes no file.',
  options: {
    framework: { value: 'NAME', help: `One of ${NAMES}` },
    name: { value: 'NAME', help: `The name of the key to try. Default: ${DEFAULT_NAME}` },
    'rate-limit': {
      value: 'REQUESTS/SECONDS',
      help: `Its rate limit. Default: ${DEFAULT_LIMIT}`,
    },
    project: { value: 'ID', help: 'The project (prj_…). Default: the only active one' },
  },
  examples: ['npx keyward init', 'npx keyward init --framework express --name Ada'],
  async run({ api, out, values, terminal }) {
    const framework = await chooseFramework(terminal, values.framework);
    const name =
      values.name ?? (await ask(terminal, 'Whose key do you want to try?', DEFAULT_NAME));
    const limit =
      values['rate-limit'] ??
      (await ask(terminal, 'How often may it be used (requests/seconds)?', DEFAULT_LIMIT));
    const rateLimitConfigs = readRateLimit(limit);
    const project = values.project === undefined ? {} : { projectId: values.project };
    const key = await api.call<{ key: string }>('createApiKey', {
      body: { name, rateLimitConfigs, ...project },
    });
    const { accessKey, problem } = await createAccessKey(api, framework, project);
    const made = { framework, url: api.url, key: key.key, accessKey, ...FRAMEWORKS[framework] };
    out.done(instructions({ ...made, problem }), made);
    return 0;
  },
});

async function chooseFramework(
  terminal: Terminal,
  given: string | undefined,
): Promise<FrameworkName> {
  const found = frameworkIn(MANIFESTS.map(read).join('\n'));
  const name =
    given ?? (await ask(terminal, `Which framework does the API use (${NAMES})?`, found ?? 'node'));
  if (isFramework(name)) return name;
  throw new UsageError(`${JSON.stringify(name)} is not one of ${NAMES}`);
}

/** The default without a terminal, or if only Enter is pressed. */
async function ask(terminal: Terminal, question: string, standard: string): Promise<string> {
  const answer = await terminal.ask?.(`${question} [${standard}] `);
  return answer?.trim() || standard;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** A failure must not hide the value of the key, which was just made. */
async function createAccessKey(
  api: Api,
  framework: FrameworkName,
  project: { readonly projectId?: string },
): Promise<Pick<Made, 'accessKey' | 'problem'>> {
  try {
    const name = `API (${FRAMEWORKS[framework].label})`;
    const body = { name, scopes: ['keys:validate'], ...project };
    const { key } = await api.call<{ key: string }>('createAccessKey', { body });
    return { accessKey: key, problem: '' };
  } catch (error) {
    const isRefused = error instanceof KeywardError && error.statusCode === 403;
    const problem = isRefused
      ? 'yours may not create one'
      : `none was created: ${(error as Error).message}`;
    return { accessKey: null, problem };
  }
}

interface Made {
  readonly framework: FrameworkName;
  readonly url: string;
  readonly key: string;
  readonly accessKey: string | null;
  /** Why there is no access key. */
  readonly problem: string;
}

function instructions({ framework, url, key, accessKey, problem }: Made): string {
  const { label, install, file, start, code } = FRAMEWORKS[framework];
  const indented = (text: string) => text.trimEnd().replaceAll(/^(?=.)/gm, '    ');
  const access =
    accessKey === null
      ? `with an access key that has the scope keys:validate (${problem})`
      : 'with an access key that can only validate. It is shown only now';
  return [
    `1. Give your API the address of Keyward, ${access}:`,
    indented(
      `export KEYWARD_URL=${url}\nexport KEYWARD_ACCESS_KEY=${accessKey ?? 'account_access_…'}`,
    ),
    '2. Install the client:',
    indented(install),
    `3. Protect the API (${label}, for example in ${file}):`,
    indented(code),
    '4. Start it, and call it with the key, which is shown only now:',
    indented(`${start}\ncurl -i http://127.0.0.1:3000/hello -H 'x-api-key: ${key}'`),
  ].join('\n\n');
}

export const initCommands: readonly Command[] = [init];
