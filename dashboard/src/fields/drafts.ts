import { type Field, type Fields, fieldsOf, type Kind } from '@keyward/rules/resources/field.ts';
import type { AccessKey, ApiKey, Credits, CreditsInput, PlanCredits } from 'keyward';
import { type Checked, type Errors, hasChanged } from '../hooks/use-draft.ts';
import { checkJson, formatJson } from '../text/check-json.ts';
import {
  type CreditsChoice,
  chosenCredits,
  chosenPlanCredits,
  creditsChoice,
  planCreditsChoice,
} from '../text/limits/credits.ts';
import { checkLimitRows, type LimitRow, limitRows } from '../text/limits/limit-rows.ts';
import {
  chosenLimit,
  type LimitChoice,
  limitChoice,
  type NamedLimit,
} from '../text/limits/limits.ts';
import {
  addressesProblem,
  itemsOf,
  permissionsProblem,
  tagsProblem,
} from '../text/limits/policies.ts';
import {
  chosenExpiry,
  type ExpiryChoice,
  expiryChoice,
  momentOf,
  timeOf,
} from '../text/time/expiry.ts';

export type FieldOf<K extends Kind> = Extract<Field, { readonly kind: K }>;

export type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string };

const ok = <Value>(value: Value) => ({ ok: true, value }) as const;
const wrong = (message: string) => ({ ok: false, message }) as const;
const unless = <Value>(problem: string | null, value: Value): Read<Value> =>
  problem === null ? ok(value) : wrong(problem);

interface DraftKind<K extends Kind> {
  /** What a control edits, usually a text. Null: not set, as in a new record. */
  draftOf(stored: never, field: FieldOf<K>): unknown;
  /**
   * The value to send, or the problem. `before` is the draft of the record, `now` the time from which "in 30 days"
   * counts.
   */
  read(draft: never, before: never, now: number): Read<unknown>;
  /** Shown instead of the message of the server. */
  readonly advice?: string;
}

const text = {
  draftOf: (stored: string | null) => stored ?? '',
  read: (draft: string): Read<string | null> => ok(draft.trim() || null),
};

/** The items of a text; null if there are none. */
function listOf(items: string): string[] | null {
  const list = itemsOf(items);
  return list.length === 0 ? null : list;
}

const lines = (stored: readonly string[] | null) => stored?.join('\n') ?? '';

/**
 * How each kind of value is edited. Permissions, limits and tags are cleared with an empty list, domains and addresses
 * with null, because the API accepts no empty list for those.
 */
export const DRAFTS = {
  name: text,
  text,
  prefix: text,
  plan: text,
  email: {
    ...text,
    read: (draft: string) =>
      unless(
        /^$|^[^\s@]+@[^\s@]+$/.test(draft.trim()) ? null : 'Enter an email address.',
        draft.trim() || null,
      ),
  },
  choice: {
    draftOf: (stored: string | null, { standard }: FieldOf<'choice'>) => stored ?? standard,
    read: (draft: string): Read<string> => ok(draft),
  },
  scopes: {
    draftOf: (stored: AccessKey['scopes'] | null) => stored ?? [],
    read: (draft: AccessKey['scopes']) =>
      unless(draft.length === 0 ? 'Select at least one scope.' : null, draft),
  },
  tags: {
    draftOf: (stored: readonly string[] | null) => stored?.join(' ') ?? '',
    read: (draft: string) => unless(tagsProblem(draft), itemsOf(draft)),
  },
  permissions: {
    draftOf: lines,
    read: (draft: string) => unless(permissionsProblem(draft), itemsOf(draft)),
  },
  addresses: {
    draftOf: lines,
    read: (draft: string) => unless(addressesProblem(draft), listOf(draft)),
  },
  domains: {
    draftOf: lines,
    read: (draft: string) => ok(listOf(draft)),
    advice: 'Enter domains such as app.example.com or *.example.org, one per line.',
  },
  units: {
    draftOf: (stored: readonly string[] | null) => stored?.join(' ') ?? '',
    read: (draft: string) => ok(itemsOf(draft)),
  },
  origins: {
    draftOf: lines,
    read: (draft: string) => ok(itemsOf(draft).map((origin) => origin.replace(/\/$/, ''))),
  },
  resources: {
    draftOf: lines,
    read: (draft: string) => ok(itemsOf(draft)),
  },
  time: {
    draftOf: (stored: string | null) => (stored === null ? '' : momentOf(Date.parse(stored))),
    read(draft: string): Read<string | null> {
      if (draft === '') return ok(null);
      const at = timeOf(draft);
      return Number.isNaN(at) ? wrong('Choose a date and time.') : ok(new Date(at).toISOString());
    },
  },
  expiry: {
    draftOf: expiryChoice,
    read(draft: ExpiryChoice, _: ExpiryChoice, now: number): Read<string | null> {
      const expiry = chosenExpiry(draft, now);
      if (expiry === undefined) return wrong('Choose a date and time.');
      return expiry !== null && Date.parse(expiry) <= now
        ? wrong('This date is in the past. To stop a key now, revoke it.')
        : ok(expiry);
    },
  },
  metadata: {
    draftOf: (stored: object | null) => formatJson(stored ?? {}),
    read: (draft: string): Read<Record<string, unknown>> => checkJson(draft),
  },
  limit: {
    draftOf: limitChoice,
    read(draft: LimitChoice): Read<ApiKey['rateLimitConfigs']> {
      const chosen = chosenLimit(draft);
      return chosen.ok ? ok(chosen.configs) : chosen;
    },
  },
  limits: {
    draftOf: (stored: readonly NamedLimit[] | null) => limitRows(stored ?? []),
    read(draft: readonly LimitRow[]): Read<NamedLimit[]> {
      const checked = checkLimitRows(draft);
      return checked.ok ? ok(checked.limits) : checked;
    },
  },
  credits: {
    draftOf: (stored: Credits | null) => creditsChoice(stored),
    read(draft: CreditsChoice, before: CreditsChoice): Read<CreditsInput | null> {
      const chosen = chosenCredits(draft, before);
      return chosen.ok ? ok(chosen.credits) : chosen;
    },
  },
  planCredits: {
    draftOf: (stored: PlanCredits | null) => planCreditsChoice(stored),
    read(draft: CreditsChoice): Read<PlanCredits | null> {
      const chosen = chosenPlanCredits(draft);
      return chosen.ok ? ok(chosen.credits) : chosen;
    },
  },
} satisfies { readonly [K in Kind]: DraftKind<K> };

type Drafts = typeof DRAFTS;

/** What the control of a kind edits. */
export type DraftValue<K extends Kind> = ReturnType<Drafts[K]['draftOf']>;

/** The draft of a form: that of each field. */
export type DraftOf<Fs extends Fields> = {
  readonly [N in keyof Fs]: Fs[N] extends { readonly options: readonly (infer Option)[] }
    ? Option
    : DraftValue<Fs[N]['kind']>;
};

/** The fields of a record, as the API returns them. */
export type Stored<Fs extends Fields> = {
  readonly [N in keyof Fs]: Parameters<Drafts[Fs[N]['kind']]['draftOf']>[0];
};

type ReadValue<F extends Field> = F extends { readonly options: readonly (infer Option)[] }
  ? Option
  : Extract<ReturnType<Drafts[F['kind']]['read']>, { ok: true }>['value'];

/** The changed fields of a record. */
export type Changes<Fs extends Fields> = {
  -readonly [N in keyof Fs]?: Fs[N] extends { readonly required: true }
    ? NonNullable<ReadValue<Fs[N]>>
    : ReadValue<Fs[N]>;
};

/** Those of a new record contain what every record has. */
export type NewRecord<Fs extends Fields> = Changes<Fs> & {
  [N in keyof Fs as Fs[N] extends { readonly required: true } ? N : never]: NonNullable<
    ReadValue<Fs[N]>
  >;
};

interface AnyKind {
  draftOf(stored: unknown, field: Field): unknown;
  read(draft: unknown, before: unknown, now: number): Read<unknown>;
  readonly advice?: string;
}

const kindOf = ({ kind }: Field) => DRAFTS[kind] as AnyKind;

export const draftOf = <Fs extends Fields>(fields: Fs, record: Stored<Fs>) =>
  Object.fromEntries(
    fieldsOf(fields).map(([name, field]) => [name, kindOf(field).draftOf(record[name], field)]),
  ) as DraftOf<Fs>;

/** The draft in which nothing is set. */
export const unsetDraft = <Fs extends Fields>(fields: Fs) =>
  Object.fromEntries(
    fieldsOf(fields).map(([name, field]) => [name, kindOf(field).draftOf(null, field)]),
  ) as DraftOf<Fs>;

/**
 * Only the fields that differ from `before`, so that no other change is overwritten. What must be set is an error as
 * long as nothing is chosen.
 */
export function changesIn<Fs extends Fields>(
  fields: Fs,
  draft: DraftOf<Fs>,
  before: DraftOf<Fs>,
  now: number,
): Checked<DraftOf<Fs>, Changes<Fs>> {
  const body: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  const unset = unsetDraft(fields);
  for (const [name, field] of fieldsOf(fields)) {
    const isChanged = hasChanged(draft, before, name);
    if (!isChanged && hasChanged(draft, unset, name)) continue;
    const read = kindOf(field).read(draft[name], before[name], now);
    if (!read.ok) errors[name] = read.message;
    else if (read.value === null && field.required) errors[name] = missing(field);
    else if (isChanged) body[name] = read.value;
  }
  return Object.keys(errors).length > 0
    ? { ok: false, errors: errors as Errors<DraftOf<Fs>> }
    : { ok: true, body: body as Changes<Fs> };
}

const missing = ({ kind, label }: Field) =>
  kind === 'name' ? 'Enter a name.' : `Enter the ${label[0]!.toLowerCase()}${label.slice(1)}.`;

/** An error of the server, by the field that it concerns. */
export function fieldErrors<Fs extends Fields>(
  fields: Fs,
  message: string | null,
  rejected: string | null,
): Errors<DraftOf<Fs>> | null {
  const found = fieldsOf(fields).find(([name]) => name === rejected);
  if (message === null || found === undefined) return null;
  const [name, field] = found;
  return { [name]: kindOf(field).advice ?? message } as Errors<DraftOf<Fs>>;
}

/** The fields without some. */
export const without = <Fs extends Fields, Name extends keyof Fs>(
  fields: Fs,
  ...names: readonly Name[]
) =>
  Object.fromEntries(fieldsOf(fields).filter(([name]) => !names.some((one) => one === name))) as {
    readonly [N in keyof Fs as N extends Name ? never : N]: Fs[N];
  };

/** The fields that can be changed later. */
export const changeable = <Fs extends Fields>(fields: Fs) =>
  Object.fromEntries(fieldsOf(fields).filter(([, { fixed }]) => !fixed)) as {
    readonly [N in keyof Fs as Fs[N] extends { readonly fixed: true } ? never : N]: Fs[N];
  };
