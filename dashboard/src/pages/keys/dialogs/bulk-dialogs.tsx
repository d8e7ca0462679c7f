import type { ApiKey } from 'keyward';
import { useState } from 'react';
import { eraseApiKeys, updateApiKeys } from '../../../api/api-keys.ts';
import { ExpiryField } from '../../../components/forms/expiry-field.tsx';
import { LimitField } from '../../../components/forms/limit-field.tsx';
import { Confirm } from '../../../components/overlays/confirm.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { chosenLimit, type LimitChoice, limitChoice } from '../../../text/limits/limits.ts';
import { counted } from '../../../text/numbers.ts';
import { chosenExpiry, type ExpiryChoice, NEVER } from '../../../text/time/expiry.ts';
import { toastBulk } from './revoke-keys.tsx';

export type BulkChange = 'expiry' | 'limit' | 'erase';

interface BulkDialogProps {
  readonly keys: readonly ApiKey[];
  onClose(): void;
  onDone(): void;
}

export const BulkDialog = ({
  change,
  ...props
}: BulkDialogProps & { readonly change: BulkChange }) =>
  change === 'erase' ? <EraseKeys {...props} /> : <ChangeField field={change} {...props} />;

const TITLES = { expiry: 'Set the expiry of', limit: 'Set the rate limit of' };

/** One field of the key form, for many keys. */
function ChangeField(props: BulkDialogProps & { readonly field: 'expiry' | 'limit' }) {
  const { field, keys, onClose, onDone } = props;
  const [expiry, setExpiry] = useState(NEVER);
  const [limit, setLimit] = useState({ ...limitChoice(null), on: true });
  const [error, setError] = useState<string | null>(null);
  const { run, busy, failure } = useAction(async () => {
    const change = field === 'expiry' ? expiryChange(expiry) : limitChange(limit);
    setError(typeof change === 'string' ? change : null);
    if (typeof change === 'string') return;
    const failures = await updateApiKeys(
      keys.map(({ id }) => id),
      change,
    );
    toastBulk(keys.length, failures, 'updated');
    onClose();
    onDone();
  });
  const what = counted(keys.length, 'key');
  return (
    <FormDialog
      onClose={onClose}
      title={`${TITLES[field]} ${what}`}
      description="Replaces the setting of every selected key."
      input={{ expiry, limit }}
      action={`Update ${what}`}
      busy={busy}
      failure={failure}
      onSubmit={run}
    >
      {field === 'expiry' ? (
        <ExpiryField value={expiry} error={error} onChange={setExpiry} />
      ) : (
        <LimitField label="Limit requests" value={limit} error={error} onChange={setLimit} />
      )}
    </FormDialog>
  );
}

/** The change to send, or an error message. */
function expiryChange(choice: ExpiryChoice) {
  const expiry = chosenExpiry(choice, Date.now());
  if (expiry === undefined) return 'Choose a date and time.';
  if (expiry !== null && Date.parse(expiry) <= Date.now())
    return 'This date is in the past. To stop the keys now, revoke them.';
  return { expiry };
}

function limitChange(choice: LimitChoice) {
  const chosen = chosenLimit(choice);
  return chosen.ok ? { rateLimitConfigs: chosen.configs } : chosen.message;
}

function EraseKeys({ keys, onClose, onDone }: BulkDialogProps) {
  const what = counted(keys.length, 'key');
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Delete ${what} permanently?`}
      consequences="The keys and their usage are deleted. This cannot be undone. The audit log keeps their masked records."
      action={`Delete ${what} permanently`}
      danger
      typeToConfirm="delete"
      onConfirm={async () => {
        const failures = await eraseApiKeys(keys.map(({ id }) => id));
        toastBulk(keys.length, failures, 'deleted permanently');
        onDone();
      }}
    />
  );
}
