import { CreditsField } from '../../../components/forms/credits-field.tsx';
import { ExpiryField } from '../../../components/forms/expiry-field.tsx';
import { TextArea, TextField } from '../../../components/forms/field.tsx';
import { JsonEditor } from '../../../components/forms/json-editor.tsx';
import { LimitField } from '../../../components/forms/limit-field.tsx';
import { LimitsField } from '../../../components/forms/limits-field.tsx';
import { timeZone } from '../../../text/time/time-zone.ts';
import {
  AddressesField,
  PermissionsField,
  PlanField,
  TagsField,
} from '../../policies/policy-fields.tsx';
import type { DraftErrors, KeyDraft } from './key-draft.ts';

interface KeyFieldsProps {
  readonly draft: KeyDraft;
  /** The draft when the form opened. */
  readonly initial: KeyDraft;
  readonly errors: DraftErrors;
  onChange(draft: KeyDraft): void;
}

export function KeyFields({ draft, initial, errors, onChange }: KeyFieldsProps) {
  const set = <Name extends keyof KeyDraft>(name: Name) => ({
    value: draft[name],
    error: errors[name] ?? null,
    onChange: (value: KeyDraft[Name]) => onChange({ ...draft, [name]: value }),
  });
  return (
    <>
      <TextField
        label="Name"
        hint="Who uses the key and for what, for example “Acme, production”"
        maxLength={256}
        autoComplete="off"
        {...set('name')}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Customer ID"
          optional
          hint="The ID of the customer in your system. Keys with the same ID share the settings of that customer."
          maxLength={256}
          autoComplete="off"
          {...set('customAccountId')}
        />
        <TextField
          label="User ID"
          optional
          hint="User ID in your system"
          maxLength={256}
          autoComplete="off"
          {...set('customUserId')}
        />
      </div>
      <ExpiryField {...set('expiry')} />
      <LimitField
        label="Limit request rate"
        hint="Requests over the limit are refused with 429 until the window ends."
        {...set('limit')}
      />
      <PlanField of="key" value={draft.planId} onChange={set('planId').onChange} />
      <LimitsField
        label="More limits"
        hint="They apply besides the limit above. A limit here replaces the customer's or the plan's limit of the same name."
        {...set('limits')}
      />
      <CreditsField
        of="pool"
        label="Prepaid credits of this key"
        hint="Each request takes its cost from them. If off, the credits of the customer or the plan apply."
        initial={initial.credits}
        {...set('credits')}
      />
      <TextArea
        label="Allowed domains"
        optional
        rows={2}
        spellCheck={false}
        placeholder={'app.example.com\n*.example.org'}
        hint="One per line. Requests from other domains are refused, based on the x-origin-domain header."
        {...set('allowedDomains')}
      />
      <PermissionsField {...set('permissions')} />
      <AddressesField {...set('allowedIPs')} />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Starts"
          optional
          type="datetime-local"
          hint={`The key is refused before this time (${timeZone()}).`}
          {...set('startsAt')}
        />
        <TagsField what="keys" {...set('tags')} />
      </div>
      <JsonEditor
        label="Metadata"
        optional
        value={draft.metadata}
        onChange={set('metadata').onChange}
      />
    </>
  );
}
