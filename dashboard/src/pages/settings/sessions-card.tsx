import { endOtherSessions, endSession, useSessions } from '../../api/me.ts';
import { Button } from '../../components/buttons/button.tsx';
import { Badge } from '../../components/display/badge.tsx';
import { DateTime } from '../../components/display/date-time.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { toast, toastFailure } from '../../components/feedback/toasts.tsx';
import { Card } from '../../components/layout/card.tsx';
import { deviceName } from '../../text/user-agent.ts';

export function SessionsCard() {
  const sessions = useSessions();
  const others = sessions.data?.filter(({ isCurrent }) => !isCurrent) ?? [];
  const end = (ending: Promise<void>) =>
    ending.then(() => toast({ text: 'Session signed out.' }), toastFailure);
  return (
    <Card
      title="Sessions"
      description="Devices where you are signed in."
      actions={
        others.length > 0 && (
          <Button onClick={() => end(endOtherSessions())}>Sign out everywhere else</Button>
        )
      }
    >
      {sessions.isError && <Failure error={sessions.error} onRetry={() => sessions.refetch()} />}
      <ul className="flex flex-col divide-y divide-line">
        {sessions.data?.map(({ id, isCurrent, userAgent, clientAddress, updatedAt }) => (
          <li key={id} className="flex items-center gap-3 py-2.5">
            <div className="min-w-0 flex-1">
              <p className="flex items-center gap-2">
                {deviceName(userAgent)} {isCurrent && <Badge tone="good">This device</Badge>}
              </p>
              <p className="text-faint text-sm">
                {clientAddress ?? 'Unknown address'} · Active <DateTime at={updatedAt} />
              </p>
            </div>
            {!isCurrent && (
              <Button size="sm" kind="quiet" onClick={() => end(endSession(id))}>
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
