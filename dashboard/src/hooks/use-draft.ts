import { useState } from 'react';
import type { useAction } from './use-action.ts';

export type Errors<Draft> = { readonly [Field in keyof Draft]?: string };

export type Checked<Draft, Body> =
  | { readonly ok: true; readonly body: Body }
  | { readonly ok: false; readonly errors: Errors<Draft> };

export interface DraftRules<Draft, Body> {
  /** The body to send, with the fields that differ from `initial`, or the errors by field. */
  check(draft: Draft, initial: Draft): Checked<Draft, Body>;
  /** The error of the server by field; null if it does not concern a field. */
  serverErrors(message: string | null, field: string | null): Errors<Draft> | null;
}

type Action = Pick<
  ReturnType<typeof useAction<never[], unknown>>,
  'failure' | 'failedField' | 'reset'
>;

/** State of a form: its values and their errors. */
export function useDraft<Draft extends object, Body>(
  initial: Draft,
  action: Action,
  rules: DraftRules<Draft, Body>,
) {
  const [draft, setDraft] = useState(initial);
  const [errors, setErrors] = useState<Errors<Draft>>({});
  const rejected = rules.serverErrors(action.failure, action.failedField);

  /** Editing a field clears its error. */
  function onChange(next: Draft) {
    const remaining = Object.entries(errors).filter(
      ([field]) => draft[field as keyof Draft] === next[field as keyof Draft],
    );
    setErrors(Object.fromEntries(remaining) as Errors<Draft>);
    action.reset();
    setDraft(next);
  }

  function check(): Checked<Draft, Body> {
    const checked = rules.check(draft, initial);
    setErrors(checked.ok ? {} : checked.errors);
    return checked;
  }

  return {
    draft,
    check,
    onChange,
    errors: { ...errors, ...rejected } as Errors<Draft>,
    /** The error, if it does not concern a field. */
    failure: rejected === null ? action.failure : null,
  };
}

/** Whether a field of a draft was changed. */
export const hasChanged = <Draft>(draft: Draft, initial: Draft, field: keyof Draft): boolean =>
  JSON.stringify(draft[field]) !== JSON.stringify(initial[field]);
