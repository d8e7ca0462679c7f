import { KeywardError, verifyWebhook, WebhookError, type WebhookRequest } from 'keyward';
import type { Api } from '../../api.ts';
import { UsageError } from '../../failure.ts';
import { resourceCommand } from '../../resource-command.ts';
import { cell, printable } from '../../terminal/cell.ts';
import type { Output } from '../../terminal/output.ts';
import type { Row } from '../../terminal/table.ts';
import { type Terminal, untilInterrupted } from '../../terminal/terminal.ts';
import { withoutUndefined } from '../../values.ts';
import { startReceiver } from './local-receiver.ts';
import { readTopics } from './webhook-fields.ts';

export const listenToEvents = resourceCommand({
  words: 'webhooks listen',
  summary: 'Print events as they happen, with verified signatures',
  details:
    'Starts a receiver on this machine, creates a webhook for it, and deletes the webhook at Ctrl-C. The server must run on the same machine with KEYWARD_WEBHOOK_ALLOW=127.0.0.0/8.',
  options: {
    topics: {
      value: 'TOPICS',
      multiple: true,
      help: 'Topics, separated by commas. Default: all but audit.appended',
    },
    project: { value: 'ID', help: 'Only events of this project' },
    port: { value: 'PORT', help: 'Port of the receiver. Default: any free port' },
    count: { value: 'N', help: 'Stop after this many events' },
  },
  examples: [
    'npx keyward webhooks listen',
    'npx keyward webhooks listen --topics api-key.created,api-key.deleted --project prj_…',
    'npx keyward webhooks listen --json --count 1',
  ],
  async run({ api, out, values, terminal }) {
    const { topics, project } = values;
    const wanted = topics === undefined ? await allTopics(api) : readTopics(topics);
    const port = readNumber('--port', values.port ?? '0', 0, 65_535);
    const count =
      values.count === undefined ? Infinity : readNumber('--count', values.count, 1, 1e9);
    const enough = Promise.withResolvers<void>();
    // An event may arrive before the response that contains the secret.
    const secret = Promise.withResolvers<string>();
    const printer = new EventPrinter(terminal, out, count, enough.resolve);
    const receiver = await startReceiver(port, async (headers, body) =>
      printer.accept({ headers, body, secret: await secret.promise }),
    );
    const interrupted = untilInterrupted();
    try {
      const fields = { name: 'keyward webhooks listen', url: receiver.url, topics: wanted };
      const hook = await register(api, withoutUndefined({ ...fields, projectId: project }));
      secret.resolve(String(hook.secret));
      try {
        terminal.err(`Listening at ${receiver.url} for ${wanted.join(', ')}. Stop with Ctrl-C.\n`);
        await Promise.race([interrupted, enough.promise]);
      } finally {
        await api.call('deleteWebhook', { path: { id: String(hook.id) } });
        terminal.err('Webhook deleted.\n');
      }
    } finally {
      await receiver.close();
    }
    return 0;
  },
});

/** Prints each event once, however often it is delivered. */
class EventPrinter {
  readonly #terminal: Terminal;
  readonly #out: Output;
  readonly #enough: () => void;
  readonly #seen = new Set<string>();
  #left: number;

  constructor(terminal: Terminal, out: Output, count: number, enough: () => void) {
    this.#terminal = terminal;
    this.#out = out;
    this.#left = count;
    this.#enough = enough;
  }

  /** Returns the problem with a delivery, or null if it is valid. */
  async accept(delivery: WebhookRequest): Promise<string | null> {
    let event: Row & { data: Row };
    try {
      event = (await verifyWebhook(delivery)) as unknown as Row & { data: Row };
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      this.#terminal.err(`A delivery was rejected: ${error.message}\n`);
      return error.message;
    }
    const id = String(event.id);
    if (this.#seen.has(id) || this.#left === 0) return null;
    this.#seen.add(id);
    this.#out.line(this.#lineOf(event), event);
    if (--this.#left === 0) this.#enough();
    return null;
  }

  #lineOf({ id, type, timestamp, projectId, data }: Row & { data: Row }): string {
    // Events about credits have no id of their own: they name the key or customer.
    const resource = data.id ?? data.keyId ?? data.customAccountId;
    const what =
      data.name === undefined ? cell(resource) : `${cell(data.name)} (${cell(resource)})`;
    const where = projectId === null ? 'the account' : cell(projectId);
    const { style } = this.#terminal;
    const topic = style('bold', printable(String(type)).padEnd(18));
    return `${cell(timestamp)}  ${topic}  ${what}  ${style('dim', `in ${where}, ${cell(id)}, verified`)}`;
  }
}

/** Without the audit log, which would repeat every change. */
const allTopics = async (api: Api) =>
  (await api.call<string[]>('listWebhookTopics')).filter((topic) => topic !== 'audit.appended');

async function register(api: Api, body: Row): Promise<Row> {
  try {
    return await api.call('createWebhook', { body });
  } catch (error) {
    if (
      error instanceof KeywardError &&
      error.code === 'invalid_body' &&
      /^url /.test(error.message)
    )
      throw new Error(
        'the server is not allowed to send to this machine. For development, start it here with KEYWARD_WEBHOOK_ALLOW=127.0.0.0/8',
        { cause: error },
      );
    throw error;
  }
}

function readNumber(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new UsageError(`${option} takes a number from ${min} to ${max}`);
  return value;
}
