import { useState } from 'react';
import type { PortalApiKey } from '../client/records.ts';
import { usePortal } from '../state/context.ts';
import { useApiKeys } from '../state/hooks.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, SelectField } from '../ui/field.tsx';
import { Failure } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { checkName } from './key-form.ts';

interface KeyDialogProps {
  readonly apiKey: PortalApiKey;
  onClose(): void;
}

export function RenameKey({ apiKey, onClose }: KeyDialogProps) {
  const { messages } = usePortal();
  const { form } = messages;
  const keys = useApiKeys();
  const { run, busy, error } = useAction();
  const [name, setName] = useState(apiKey.name);
  const [nameError, setNameError] = useState<string | null>(null);
  const submit = () => {
    const problem = checkName(name, form);
    setNameError(problem);
    if (problem) return;
    void run(async () => {
      await keys.rename(apiKey.id, name.trim());
      onClose();
    });
  };
  return (
    <FormDialog
      title={messages.keys.renameTitle(apiKey.name)}
      onClose={onClose}
      closeWarning={name === apiKey.name ? null : { title: form.discardTitle, leave: form.discard }}
      onSubmit={submit}
      submitLabel={form.save}
      busy={busy}
    >
      <Field label={form.name} error={nameError}>
        {(attributes) => (
          <input
            {...attributes}
            value={name}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      {error && <Failure error={error} />}
    </FormDialog>
  );
}

const GRACE_SECONDS = ['0', '3600', '86400', '604800', '2592000'] as const;

export function RotateKey({ apiKey, onClose }: KeyDialogProps) {
  const { messages, format, showValue } = usePortal();
  const { rotation } = messages;
  const keys = useApiKeys();
  const { run, busy, error } = useAction();
  const [grace, setGrace] = useState<(typeof GRACE_SECONDS)[number]>('86400');
  const hint = () => {
    if (grace === '0') return rotation.immediatelyHint;
    const end = Date.now() + Number(grace) * 1000;
    const own = apiKey.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(apiKey.expiresAt);
    return own < end
      ? rotation.expiresBefore(format.dateTime(own))
      : rotation.afterHint(format.dateTime(end));
  };
  const submit = () =>
    run(async () => {
      const rotated = await keys.rotate(apiKey.id, { graceSeconds: Number(grace) });
      onClose();
      showValue(messages.newValue.rotated, rotated);
    });
  return (
    <FormDialog
      title={rotation.title(apiKey.name)}
      description={rotation.text}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={messages.keys.rotate}
      busy={busy}
    >
      <SelectField
        label={rotation.grace}
        value={grace}
        onChange={setGrace}
        hint={hint()}
        options={GRACE_SECONDS.map((value) => ({
          value,
          label:
            value === '0' ? rotation.immediately : rotation.after(format.duration(Number(value))),
        }))}
      />
      {error && <Failure error={error} />}
    </FormDialog>
  );
}

export function RevokeKey({ apiKey, onClose }: KeyDialogProps) {
  const { messages } = usePortal();
  const { revocation } = messages;
  const keys = useApiKeys();
  const { run, busy, error } = useAction();
  const submit = () =>
    run(async () => {
      await keys.revoke(apiKey.id);
      onClose();
    });
  return (
    <FormDialog
      title={revocation.title(apiKey.name)}
      description={revocation.text}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={revocation.confirm}
      kind="danger"
      busy={busy}
    >
      {error && <Failure error={error} />}
    </FormDialog>
  );
}
