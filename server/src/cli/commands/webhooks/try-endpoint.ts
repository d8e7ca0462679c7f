import type { Api } from '../../api.ts';
import { UsageError } from '../../failure.ts';
import { resourceCommand } from '../../resource-command.ts';
import { printable } from '../../terminal/cell.ts';
import type { Row } from '../../terminal/table.ts';
import { withoutUndefined } from '../../values.ts';
import { HEADER_OPTION, readHeaders } from './webhook-fields.ts';

export const testWebhook = resourceCommand({
  words: 'webhooks test',
  summary: 'Send a test message to an endpoint and show the response',
  details:
    'The server sends the message like a delivery, but unsigned, so no webhook is needed. For an existing webhook, the URL, method and headers of the webhook are used. Exit code 0: 2xx response, 1: anything else.',
  args: [{ name: 'URL|WEBHOOK', help: 'The endpoint, or the id of a webhook' }],
  options: {
    method: { value: 'POST|PUT', help: 'Default: that of the webhook, else POST' },
    header: HEADER_OPTION,
    body: { value: 'JSON', help: 'The body to send. Default: a short test message' },
  },
  examples: [
    'npx keyward webhooks test https://example.com/hooks/keyward',
    'npx keyward webhooks test whk_…',
    `npx keyward webhooks test https://example.com/hook --header 'X-Tenant: acme' --body '{"a":1}'`,
  ],
  async run({ api, out, values, args, terminal }) {
    const endpoint = await endpointOf(api, args[0]!);
    const body = withoutUndefined({
      url: endpoint.url,
      httpMethod: values.method ?? endpoint.httpMethod,
      customHeaders: values.header ? readHeaders(values.header) : endpoint.customHeaders,
      webhookId: endpoint.id,
      body: values.body === undefined ? undefined : readJson(values.body),
    });
    const result = await api.call('pingWebhook', { body });
    const verdict = result.success
      ? terminal.style('green', 'received')
      : terminal.style('red', 'failed');
    const what = result.error === null ? `status ${result.statusCode}` : result.error;
    const response = result.responseBody === '' ? '' : `\n${result.responseBody}`;
    const line = printable(`${what}, in ${result.durationMs} ms`);
    out.done(`${verdict}  ${line}${linesOf(response)}`, result);
    return result.success ? 0 : 1;
  },
});

async function endpointOf(api: Api, target: string): Promise<Row> {
  if (!target.startsWith('whk_')) return { url: target };
  return api.call('getWebhook', { path: { id: target } });
}

/** Removes control characters from the response of an endpoint, but keeps line breaks. */
const linesOf = (text: string): string => text.split('\n').map(printable).join('\n');

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--body takes JSON, like '{"hello":"world"}'`);
  }
}
