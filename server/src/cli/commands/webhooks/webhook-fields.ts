import type { OptionSpecs, ValuesOf } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { withoutUndefined } from '../../values.ts';

export const WEBHOOK_ARGUMENT = { name: 'WEBHOOK', help: 'The id of the webhook (whk_…)' };

export const HEADER_OPTION = {
  value: 'NAME:VALUE',
  multiple: true,
  help: 'Header sent with every delivery (repeatable)',
} as const;

/** Options of both create and update. */
export const WEBHOOK_FIELD_OPTIONS = {
  topic: {
    value: 'TOPIC',
    multiple: true,
    help: 'A topic, such as api-key.created (repeatable, or separated by commas)',
  },
  project: { value: 'ID', help: 'Only events of this project; null: of the whole account' },
  method: { value: 'POST|PUT', help: 'HTTP method of deliveries. Default: POST' },
  format: {
    value: 'standard|cloudevents',
    help: 'Format of deliveries. CloudEvents never carry key values. Default: standard',
  },
  status: { value: 'live|paused', help: 'Status of the webhook. Default: live' },
  header: HEADER_OPTION,
} as const satisfies OptionSpecs;

export function webhookFields(
  values: ValuesOf<typeof WEBHOOK_FIELD_OPTIONS>,
): Record<string, unknown> {
  const { topic, project, method, format, status, header } = values;
  return withoutUndefined({
    topics: topic && readTopics(topic),
    projectId: project === 'null' ? null : project,
    httpMethod: method,
    format,
    status,
    customHeaders: header && readHeaders(header),
  });
}

export const readTopics = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.split(',')).map((topic) => topic.trim());

export function readHeaders(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const colon = text.indexOf(':');
      if (colon < 1)
        throw new UsageError("--header takes a name and a value, like 'X-Tenant: acme'");
      return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
    }),
  );
}
