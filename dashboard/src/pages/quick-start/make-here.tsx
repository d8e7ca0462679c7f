import { useState } from 'react';
import { Button } from '../../components/buttons/button.tsx';
import { SecretOnce } from '../../components/display/secret-once.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { useAction } from '../../hooks/use-action.ts';

interface MakeHereProps {
  readonly what: string;
  readonly action: string;
  /** The value, which the commands on this page are then filled in with. */
  readonly value: string | null;
  make(): Promise<string>;
  onMade(value: string): void;
}

/** Makes a credential in place. Its value lives on this page, and is gone when one leaves it. */
export function MakeHere({ what, action, value, make, onMade }: MakeHereProps) {
  const [isOpen, setOpen] = useState(true);
  const making = useAction(async () => onMade(await make()));
  if (value !== null && isOpen) {
    return (
      <>
        <SecretOnce what={what} value={value} />
        <div>
          <Button size="sm" onClick={() => setOpen(false)}>
            I have copied it
          </Button>
        </div>
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
