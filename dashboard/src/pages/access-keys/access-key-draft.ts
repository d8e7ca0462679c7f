import type { AccessKey } from 'keyward';
import { chosenLimit, type LimitChoice, limitChoice } from '../../text/limits/limits.ts';
import { chosenExpiry, type ExpiryChoice, expiryChoice, NEVER } from '../../text/time/expiry.ts';
import { PRESETS, type Preset, presetOf, type Scope } from './scopes.ts';

/** Values of the form. */
export interface Draft {
  readonly name: string;
  readonly preset: Preset;
  readonly scopes: readonly Scope[];
  readonly expiry: ExpiryChoice;
  readonly limit: LimitChoice;
}

export const emptyDraft: Draft = {
  name: '',
  preset: 'validate',
  scopes: PRESETS.validate.scopes,
  expiry: NEVER,
  limit: limitChoice(null),
};

export const draftOf = (accessKey: AccessKey): Draft => ({
  name: accessKey.name,
  preset: presetOf(accessKey.scopes),
  scopes: accessKey.scopes,
  expiry: expiryChoice(accessKey.expiresAt),
  limit: limitChoice(accessKey.rateLimitConfigs),
});

export type DraftErrors = Partial<Record<'name' | 'scopes' | 'expiry' | 'limit', string>>;

/** Request body, or errors by field. */
export function readDraft(draft: Draft, now: number) {
  const expiry = chosenExpiry(draft.expiry, now);
  const limit = chosenLimit(draft.limit);
  const errors: DraftErrors = {
    ...(draft.name.trim() === '' && { name: 'Enter a name.' }),
    ...(draft.scopes.length === 0 && { scopes: 'Select at least one scope.' }),
    ...(expiry === undefined && { expiry: 'Choose a date and time.' }),
    ...(!limit.ok && { limit: limit.message }),
  };
  if (Object.keys(errors).length > 0 || expiry === undefined || !limit.ok) return { errors };
  return {
    body: {
      name: draft.name.trim(),
      scopes: [...draft.scopes],
      expiry,
      rateLimitConfigs: limit.configs,
    },
  };
}
