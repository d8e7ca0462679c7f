import { useRole } from '../../app/session/permissions.ts';
import { ExpiryField } from '../../components/forms/expiry-field.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { LimitField } from '../../components/forms/limit-field.tsx';
import type { Draft, DraftErrors } from './access-key-draft.ts';
import { ScopeChoice } from './scope-choice.tsx';
import { grantableBy } from './scopes.ts';

interface AccessKeyFieldsProps {
  readonly draft: Draft;
  readonly errors: DraftErrors;
  onChange(draft: Draft): void;
  /** Fields between the name and the scopes. */
  readonly children?: React.ReactNode;
}

/** Fields of the forms to create and edit. */
export function AccessKeyFields({ draft, errors, onChange, children }: AccessKeyFieldsProps) {
  const role = useRole();
  const change = (part: Partial<Draft>) => onChange({ ...draft, ...part });
  return (
    <>
      <TextField
        label="Name"
        placeholder="Checkout service, production"
        value={draft.name}
        onChange={(name) => change({ name })}
        error={errors.name}
        maxLength={256}
        autoComplete="off"
      />
      {children}
      <ScopeChoice
        preset={draft.preset}
        scopes={draft.scopes}
        grantable={grantableBy(role)}
        onChange={(preset, scopes) => change({ preset, scopes })}
      />
      {errors.scopes && (
        <p role="alert" className="text-bad text-sm">
          {errors.scopes}
        </p>
      )}
      <ExpiryField
        value={draft.expiry}
        onChange={(expiry) => change({ expiry })}
        hint="After that, requests are rejected with 401."
        error={errors.expiry}
      />
      <LimitField
        label="Limit management requests"
        hint="Validations are not counted. Without a limit, the server’s default applies."
        value={draft.limit}
        onChange={(limit) => change({ limit })}
        error={errors.limit}
      />
    </>
  );
}
