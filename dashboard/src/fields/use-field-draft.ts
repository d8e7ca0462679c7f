import type { Fields } from '@keyward/rules/resources/field.ts';
import { useState } from 'react';
import { type Checked, useDraft } from '../hooks/use-draft.ts';
import {
  type Changes,
  changesIn,
  type DraftOf,
  draftOf,
  fieldErrors,
  type NewRecord,
  type Stored,
  unsetDraft,
} from './drafts.ts';

type Action = Parameters<typeof useDraft>[1];

/** The form of a new record; `given` is prefilled. */
export const useNewDraft = <Fs extends Fields>(
  fields: Fs,
  action: Action,
  given: Partial<DraftOf<Fs>> = {},
) => useFieldDraft<Fs, NewRecord<Fs>>(fields, action, () => unsetDraft(fields), given);

/** The form of a record, as it was when the form opened. */
export const useEditDraft = <Fs extends Fields>(fields: Fs, action: Action, record: Stored<Fs>) =>
  useFieldDraft<Fs, Changes<Fs>>(fields, action, () => draftOf(fields, record), {});

function useFieldDraft<Fs extends Fields, Body extends Changes<Fs>>(
  fields: Fs,
  action: Action,
  first: () => DraftOf<Fs>,
  given: Partial<DraftOf<Fs>>,
) {
  const [before] = useState(first);
  const [initial] = useState(() => ({ ...before, ...given }));
  // "In 30 days" counts from this time, so that sending the form again sends the same body.
  const [openedAt] = useState(Date.now);
  const { failure, check, draft, errors, onChange } = useDraft<DraftOf<Fs>, Body>(initial, action, {
    check: (edited) => changesIn(fields, edited, before, openedAt) as Checked<DraftOf<Fs>, Body>,
    serverErrors: (message, field) => fieldErrors(fields, message, field),
  });
  /** `form`: the props of `FieldControls`. */
  return { failure, check, draft, form: { fields, draft, before, errors, onChange } };
}
