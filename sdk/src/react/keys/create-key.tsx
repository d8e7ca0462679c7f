import { useState } from 'react';
import { usePortal } from '../state/context.ts';
import { useApiKeys } from '../state/hooks.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, SelectField } from '../ui/field.tsx';
import { Failure } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { checkDate, checkName, EXPIRY_DAYS, expiryOf } from './key-form.ts';

interface CreateKeyProps {
  /** The permissions to choose from; null if keys inherit theirs. */
  readonly cap: readonly string[] | null;
  onClose(): void;
}

export function CreateKey({ cap, onClose }: CreateKeyProps) {
  const { messages, format, showValue } = usePortal();
  const { form } = messages;
  const keys = useApiKeys();
  const { run, busy, error } = useAction();
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState('never');
  const [date, setDate] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>(cap ?? []);
  const [wasSubmitted, setSubmitted] = useState(false);
  // Expiries count from this time, so that sending the form again is the same request and creates one key.
  const [openedAt] = useState(Date.now);

  const nameError = checkName(name, form);
  const dateError = expiry === 'date' ? checkDate(date, Date.now(), form) : null;
  const permissionsError = cap && chosen.length === 0 ? form.permissionsMissing : null;
  const shown = (message: string | null) => (wasSubmitted ? message : null);

  const submit = () => {
    setSubmitted(true);
    if (nameError || dateError || permissionsError) return;
    void run(async () => {
      const created = await keys.create({
        name: name.trim(),
        expiry: expiryOf(expiry, date, openedAt),
        ...(cap && chosen.length < cap.length && { permissions: [...chosen] }),
      });
      onClose();
      showValue(messages.newValue.created, created);
    });
  };
  const toggle = (permission: string) =>
    setChosen(cap!.filter((each) => (each === permission) !== chosen.includes(each)));

  return (
    <FormDialog
      title={messages.keys.create}
      onClose={onClose}
      closeWarning={name === '' ? null : { title: form.discardTitle, leave: form.discard }}
      onSubmit={submit}
      submitLabel={messages.keys.create}
      busy={busy}
    >
      <Field label={form.name} hint={form.nameHint} error={shown(nameError)}>
        {(attributes) => (
          <input
            {...attributes}
            value={name}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <SelectField
        label={form.expiry}
        value={expiry}
        onChange={setExpiry}
        options={[
          { value: 'never', label: form.expiryNever },
          ...EXPIRY_DAYS.map((days) => ({
            value: String(days),
            label: form.expiryIn(format.duration(days * 86_400)),
          })),
          { value: 'date', label: form.expiryOn },
        ]}
      />
      {expiry === 'date' && (
        <Field label={form.expiryDate} error={shown(dateError)}>
          {(attributes) => (
            <input
              {...attributes}
              type="date"
              value={date}
              onChange={(event) => setDate(event.target.value)}
            />
          )}
        </Field>
      )}
      {cap && (
        <fieldset className="kw-choices">
          <legend>{form.permissions}</legend>
          {cap.map((permission) => (
            <label key={permission}>
              <input
                type="checkbox"
                checked={chosen.includes(permission)}
                onChange={() => toggle(permission)}
              />
              <code>{permission}</code>
            </label>
          ))}
          {shown(permissionsError) && <p className="kw-error">{permissionsError}</p>}
        </fieldset>
      )}
      {error && <Failure error={error} />}
    </FormDialog>
  );
}
