import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../../api.ts';
import { resourceCommand } from '../../resource-command.ts';
import { Progress } from '../../terminal/progress.ts';
import type { Row } from '../../terminal/table.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { withoutUndefined } from '../../values.ts';
import { WEBHOOK_ARGUMENT } from './webhook-fields.ts';

const POLL_EVERY_MS = 250;

export const replayEvents = resourceCommand({
  words: 'webhooks replay',
  summary: 'Send the events of a time range again',
  details:
    'Shows the progress until all events are queued; Ctrl-C stops only the display. New events are sent first. Replayed events keep their ids, and key values are masked.',
  args: [WEBHOOK_ARGUMENT],
  options: {
    since: { value: 'TIME', help: '2030-01-01, or 2030-01-01T12:00:00Z', required: true },
    until: { value: 'TIME', help: 'Default: now' },
  },
  examples: [
    'npx keyward webhooks replay whk_… --since 2030-01-01',
    'npx keyward webhooks replay whk_… --since 2030-01-01T12:00:00Z --until 2030-01-01T13:00:00Z',
  ],
  async run({ api, out, values, args, terminal }) {
    const body = withoutUndefined({ since: values.since, until: values.until });
    const id = args[0]!;
    const started = await api.call('startWebhookReplay', { path: { id }, body });
    return out.record(await watch(api, terminal, id, started));
  },
});

async function watch(api: Api, terminal: Terminal, id: string, started: Row): Promise<Row> {
  const path = { id, replay: String(started.id) };
  const progress = new Progress(terminal, Number(started.total), 'events queued');
  let replay = started;
  while (replay.status === 'running') {
    const queued = Number(replay.queued);
    progress.show(queued, queued);
    await sleep(POLL_EVERY_MS);
    replay = await api.call('getWebhookReplay', { path });
  }
  progress.end();
  return replay;
}
