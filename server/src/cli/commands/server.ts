import { settingsHelp } from '../../app/config.ts';
import { packageVersion } from '../../kernel/files.ts';
import { type Command, defineCommand, type OptionSpecs } from '../command.ts';

/** Only for the help: app/config.ts reads the settings itself. */
export const serverOptions: OptionSpecs = Object.fromEntries(
  settingsHelp().map(({ flag, env, fallback, help }) => [
    flag,
    { value: 'VALUE', help: `${help} [${env}${fallback === '' ? '' : `, default ${fallback}`}]` },
  ]),
);

// The server is loaded when the command runs, so that the help does not wait for it.
const serve = defineCommand({
  words: 'serve',
  summary: 'Start the server',
  details:
    'Without settings: SQLite in ./data, http://127.0.0.1:8080. The first start prints an access key, once. Ctrl-C stops the server after it has finished the running requests, SIGTERM after it has drained, too.',
  verbatim: true,
  options: serverOptions,
  examples: ['npx keyward serve', 'PORT=9000 KEYWARD_DATA_DIR=/var/lib/keyward npx keyward serve'],
  async run({ args, terminal }) {
    const { serve: start } = await import('../../app/serve.ts');
    await start([...args], terminal.env);
    return 0;
  },
});

const openapi = defineCommand({
  words: 'openapi',
  summary: 'Print the OpenAPI 3.1 description of the API',
  options: {},
  examples: ['npx keyward openapi > openapi.json'],
  async run({ terminal }) {
    const { openApiDocument } = await import('../../http/openapi/document.ts');
    const { describeRoutes } = await import('../../app/routes.ts');
    terminal.out(`${JSON.stringify(openApiDocument(describeRoutes()), null, 2)}\n`);
    return 0;
  },
});

const showVersion = defineCommand({
  words: 'version',
  summary: 'Print the version',
  options: {},
  examples: ['npx keyward version'],
  async run({ terminal }) {
    terminal.out(`keyward ${packageVersion()}\n`);
    return 0;
  },
});

export const serverCommands: readonly Command[] = [serve, openapi, showVersion];
