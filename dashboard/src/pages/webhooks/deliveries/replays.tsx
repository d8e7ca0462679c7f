import type { Webhook, WebhookReplay } from 'keyward';
import { History } from 'lucide-react';
import { useReplays } from '../../../api/webhooks.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { DateTime } from '../../../components/display/date-time.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { counted, wholeNumber } from '../../../text/numbers.ts';

interface ReplaysProps {
  readonly webhook: Webhook;
  onStart(): void;
}

/** Recent replays and their progress; hidden if there are none. */
export function Replays({ webhook, onStart }: ReplaysProps) {
  const { data = [] } = useReplays(webhook.id);
  const mayWrite = useMay('webhooks:write');
  if (data.length === 0) return null;
  return (
    <Card
      title="Replays"
      actions={
        mayWrite && (
          <Button size="sm" icon={<History />} onClick={onStart}>
            Replay events
          </Button>
        )
      }
    >
      <ul className="flex flex-col gap-4">
        {data.map((replay) => (
          <li key={replay.id}>
            <ReplayRow replay={replay} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function ReplayRow({ replay }: { readonly replay: WebhookReplay }) {
  const { since, until, status, total, queued, createdAt } = replay;
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap justify-between gap-x-6 text-sm">
        <span>
          <DateTime at={since} form="exact" /> – <DateTime at={until} form="exact" />
        </span>
        <span className="text-muted">
          {status === 'running' && `${wholeNumber(queued)} of ${counted(total, 'event')} queued`}
          {status === 'done' && `${counted(queued, 'event')} queued`}
          {status === 'cancelled' && 'Cancelled'}, started <DateTime at={createdAt} />
        </span>
      </div>
      {status === 'running' && (
        <progress
          aria-label="Replay"
          value={queued}
          max={Math.max(1, total)}
          className="h-1.5 w-full appearance-none overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-hover [&::-webkit-progress-value]:bg-accent"
        />
      )}
    </div>
  );
}
