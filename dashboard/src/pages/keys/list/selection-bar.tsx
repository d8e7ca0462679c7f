import { useState } from 'react';
import { BULK_MAX } from '../../../api/api-keys.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { counted, wholeNumber } from '../../../text/numbers.ts';
import { type BulkChange, BulkDialog } from '../dialogs/bulk-dialogs.tsx';
import { ReactivateKeys, RevokeKeys } from '../dialogs/revoke-keys.tsx';
import { saveKeys } from './save-keys.ts';
import type { KeySelection } from './use-key-selection.ts';

interface SelectionBarProps extends KeySelection {
  readonly projectName: string;
  /** Number of keys that match the filters; undefined while loading. */
  readonly total: number | undefined;
  /** Selects all of them, up to the maximum of one action. */
  onSelectAll(): Promise<unknown>;
}

/** Actions for the selected keys. */
export function SelectionBar(props: SelectionBarProps) {
  const { keys, clear, total = 0, onSelectAll, projectName } = props;
  const [open, setOpen] = useState<BulkChange | 'revoke' | 'reactivate' | null>(null);
  const all = useAction(onSelectAll);
  const active = keys.filter(({ isActive }) => isActive);
  const revoked = keys.filter(({ isActive }) => !isActive);
  const selectable = Math.min(total, BULK_MAX);
  const close = () => setOpen(null);
  return (
    <section
      aria-label="Selected keys"
      className="flex flex-wrap items-center gap-2 rounded-lg bg-accent-soft px-3 py-2"
    >
      <output className="font-medium">{counted(keys.length, 'key')} selected</output>
      {keys.length < selectable && (
        <Button kind="quiet" busy={all.busy} onClick={() => all.run()}>
          {total > BULK_MAX
            ? `Select the first ${wholeNumber(BULK_MAX)}`
            : `Select all ${wholeNumber(total)}`}
        </Button>
      )}
      <Button kind="quiet" onClick={clear} className="mr-auto">
        Clear selection
      </Button>
      <Button onClick={() => setOpen('expiry')}>Set expiry…</Button>
      <Button onClick={() => setOpen('limit')}>Set rate limit…</Button>
      <Button onClick={() => saveKeys(keys, projectName)}>Export CSV</Button>
      {revoked.length > 0 && (
        <Button onClick={() => setOpen('reactivate')}>Reactivate {revoked.length}…</Button>
      )}
      {active.length > 0 && (
        <Button kind="danger" onClick={() => setOpen('revoke')}>
          Revoke {active.length}…
        </Button>
      )}
      {active.length === 0 && (
        <Button kind="danger" onClick={() => setOpen('erase')}>
          Delete permanently…
        </Button>
      )}
      {open === 'revoke' && <RevokeKeys keys={active} onClose={close} onDone={clear} />}
      {open === 'reactivate' && <ReactivateKeys keys={revoked} onClose={close} onDone={clear} />}
      {open !== null && open !== 'revoke' && open !== 'reactivate' && (
        <BulkDialog change={open} keys={keys} onClose={close} onDone={clear} />
      )}
    </section>
  );
}
