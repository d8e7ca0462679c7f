import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/buttons/button.tsx';
import { SecretOnce } from '../../components/display/secret-once.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { useAction } from '../../hooks/use-action.ts';

interface MakeHereProps {
  readonly what: string;
  readonly action: string;
  /** The value, which fills in the commands on this page. */
  readonly value: string | null;
  make(): Promise<string>;
  onMade(value: string): void;
}

/** Creates a credential in place. Its value is kept only on this page. */
export function MakeHere({ what, action, value, make, onMade }: MakeHereProps) {
  const [isOpen, setOpen] = useState(true);
  const making = useAction(async () => onMade(await make()));
  const isShown = value !== null && isOpen;
  const leaving = useBlocker({
    shouldBlockFn: () => isShown,
    enableBeforeUnload: () => isShown,
    withResolver: true,
  });
  if (isShown) {
    return (
      <>
        <SecretOnce what={what} value={value} />
        <div>
          <Button size="sm" onClick={() => setOpen(false)}>
            Done
          </Button>
        </div>
        <Confirm
          open={leaving.status === 'blocked'}
          onClose={() => leaving.reset?.()}
          title={`Leave without copying the ${what}?`}
          consequences="It will not be shown again. If you lose it, create another one."
          action="Leave page"
          onConfirm={async () => leaving.proceed?.()}
        />
      </>
    );
  }
  if (value !== null) return null;
  return (
    <>
      {making.failure && <Notice tone="bad">{making.failure}</Notice>}
      <div>
        <Button busy={making.busy} onClick={() => making.run()}>
          {action}
        </Button>
      </div>
    </>
  );
}
