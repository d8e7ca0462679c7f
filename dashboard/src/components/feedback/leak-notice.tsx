import type { Leak } from 'keyward';
import { counted } from '../../text/numbers.ts';
import { Button } from '../buttons/button.tsx';
import { DateTime } from '../display/date-time.tsx';
import { Notice } from './notice.tsx';

interface LeakNoticeProps {
  readonly leak: Leak;
  /** Null: the user may not revoke the key. */
  readonly onRevoke: (() => void) | null;
}

/** A key or access key whose value was reported as leaked and still works. */
export const LeakNotice = ({ leak, onRevoke }: LeakNoticeProps) => (
  <Notice
    tone="bad"
    title="The value of this key has leaked"
    action={
      onRevoke && (
        <Button kind="danger" onClick={onRevoke}>
          Revoke now
        </Button>
      )
    }
  >
    Anyone who has seen it can use this key. Found in{' '}
    {leak.url === null ? (
      leak.source
    ) : (
      <a className="underline" href={leak.url} target="_blank" rel="noreferrer noopener">
        {leak.source}
      </a>
    )}
    , reported <DateTime at={leak.updatedAt} />
    {leak.reports > 1 && ` (${counted(leak.reports, 'report')})`}. Revoke it, or rotate it: the old
    value then stops working immediately.
  </Notice>
);
