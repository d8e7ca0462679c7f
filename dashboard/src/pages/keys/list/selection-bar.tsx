import { useState } from 'react';
import { Button } from '../../../components/buttons/button.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { counted } from '../../../text/numbers.ts';
import { RevokeKeys, reactivateMany } from '../dialogs/revoke-keys.tsx';
import type { KeySelection } from './use-key-selection.ts';

/** What can be done to the keys that are ticked. */
export function SelectionBar({ keys, clear }: KeySelection) {
  const [revoking, setRevoking] = useState(false);
  const reactivate = useAction(reactivateMany);
  const active = keys.filter(({ isActive }) => isActive);
  const revoked = keys.filter(({ isActive }) => !isActive);
  return (
    <section
      aria-label="Selected keys"
      className="flex flex-wrap items-center gap-2 rounded-lg bg-accent-soft px-3 py-2"
    >
      <output className="mr-auto font-medium">{counted(keys.length, 'key')} selected</output>
      {revoked.length > 0 && (
        <Button
          busy={reactivate.busy}
          onClick={async () => {
            await reactivate.run(revoked.map(({ id }) => id));
            clear();
          }}
        >
          Reactivate {revoked.length}
        </Button>
      )}
      {active.length > 0 && (
        <Button kind="danger" onClick={() => setRevoking(true)}>
          Revoke {active.length}…
        </Button>
      )}
      <Button kind="quiet" onClick={clear}>
        Clear selection
      </Button>
      {revoking && <RevokeKeys keys={active} onClose={() => setRevoking(false)} onDone={clear} />}
    </section>
  );
}
