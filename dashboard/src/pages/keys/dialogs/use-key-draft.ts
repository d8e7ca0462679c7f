import { useId, useState } from 'react';
import type { useAction } from '../../../hooks/use-action.ts';
import {
  type CheckedDraft,
  checkDraft,
  type DraftErrors,
  type KeyDraft,
  remainingErrors,
  serverErrors,
} from './key-draft.ts';

type Action = Pick<
  ReturnType<typeof useAction<never[], unknown>>,
  'failure' | 'failedField' | 'reset'
>;

/** State of the key form: its values and their errors. */
export function useKeyDraft(initial: KeyDraft, action: Action) {
  const form = useId();
  const [draft, setDraft] = useState(initial);
  const [errors, setErrors] = useState<DraftErrors>({});
  const rejected = serverErrors(action.failure, action.failedField);

  function onChange(next: KeyDraft) {
    setErrors(remainingErrors(errors, draft, next));
    action.reset();
    setDraft(next);
  }

  function check(): CheckedDraft {
    const checked = checkDraft(draft, initial, Date.now());
    setErrors(checked.ok ? {} : checked.errors);
    if (!checked.ok) focusFirstError(form);
    return checked;
  }

  return {
    form,
    draft,
    check,
    onChange,
    errors: { ...errors, ...rejected },
    /** The error, if it does not concern a field. */
    failure: rejected === null ? action.failure : null,
    focusFirstError: () => focusFirstError(form),
  };
}

/** Runs after the errors are rendered. */
const focusFirstError = (form: string): void => {
  setTimeout(() =>
    document.getElementById(form)?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(),
  );
};
