import { CreditsField } from '../../../components/forms/credits-field.tsx';
import { TextField } from '../../../components/forms/field.tsx';
import { JsonEditor } from '../../../components/forms/json-editor.tsx';
import { LimitsField } from '../../../components/forms/limits-field.tsx';
import type { Errors } from '../../../hooks/use-draft.ts';
import {
  AddressesField,
  PermissionsField,
  PlanField,
  TagsField,
} from '../../policies/policy-fields.tsx';
import type { CustomerDraft } from './customer-draft.ts';

interface CustomerFieldsProps {
  readonly draft: CustomerDraft;
  /** The draft when the form opened. */
  readonly initial: CustomerDraft;
  readonly errors: Errors<CustomerDraft>;
  /** Whether the id of the customer can be chosen. */
  readonly isNew: boolean;
  onChange(draft: CustomerDraft): void;
}

export function CustomerFields(props: CustomerFieldsProps) {
  const { draft, initial, errors, isNew, onChange } = props;
  const set = <Name extends keyof CustomerDraft>(name: Name) => ({
    value: draft[name],
    error: errors[name] ?? null,
    onChange: (value: CustomerDraft[Name]) => onChange({ ...draft, [name]: value }),
  });
  return (
    <>
      {isNew && (
        <TextField
          label="Customer ID"
          hint="The ID of the customer in your system. Settings apply to all keys with this ID, and it cannot be changed later."
          maxLength={256}
          autoComplete="off"
          {...set('customAccountId')}
        />
      )}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          optional
          placeholder="Acme Inc."
          maxLength={256}
          autoComplete="off"
          {...set('name')}
        />
        <TextField
          label="Email"
          optional
          type="email"
          hint="For display. Keyward sends nothing to it."
          maxLength={320}
          autoComplete="off"
          {...set('email')}
        />
      </div>
      <PlanField of="customer" value={draft.planId} onChange={set('planId').onChange} />
      <LimitsField
        label="Limits"
        hint="They apply to all keys of the customer. A limit here replaces the plan's limit of the same name, for example to give this customer more."
        {...set('limits')}
      />
      <CreditsField
        of="pool"
        label="Prepaid credits of this customer"
        hint="Shared by all its keys. If off, the credits of the plan apply."
        initial={initial.credits}
        {...set('credits')}
      />
      <PermissionsField {...set('permissions')} />
      <AddressesField {...set('allowedIPs')} />
      <TagsField what="customers" {...set('tags')} />
      <JsonEditor
        label="Metadata"
        optional
        value={draft.metadata}
        onChange={set('metadata').onChange}
      />
    </>
  );
}
