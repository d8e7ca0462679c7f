import { type Field, type Fields, fieldsOf, type Kind } from '@keyward/rules/resources/field.ts';
import type { CreditsInput, PlanCredits } from 'keyward';
import { creditsText, planCreditsText } from '../text/limits/credits.ts';
import { limitText, type NamedLimit, namedLimitText } from '../text/limits/limits.ts';
import { exactTime } from '../text/time/times.ts';

/** Returns the name of a plan. */
export type PlanName = (id: string) => string;

const plain = (value: string): string => value;
const list = (items: readonly string[]): string => items.join(', ');
const time = (at: string): string => exactTime(Date.parse(at));

/** Records of the audit log do not say whether they are plans. */
const credits = (of: CreditsInput | PlanCredits): string =>
  'refill' in of ? creditsText(of) : planCreditsText(of as PlanCredits);

/** A set value of each kind as one line of text. Forms, facts and changes have this order. */
const TEXTS = {
  name: plain,
  text: plain,
  email: plain,
  prefix: plain,
  choice: plain,
  scopes: list,
  expiry: time,
  limit: limitText,
  plan: (id: string, planName: PlanName) => planName(id),
  limits: (limits: readonly NamedLimit[]) => limits.map(namedLimitText).join('; '),
  credits,
  planCredits: credits,
  domains: list,
  origins: list,
  units: list,
  permissions: list,
  addresses: list,
  resources: list,
  time,
  tags: list,
  metadata: (value: object) => shortJson(value),
} satisfies Record<Kind, (value: never, planName: PlanName) => string>;

const ORDER = Object.keys(TEXTS);

/** The fields by kind; first what must be set, then what cannot be changed later. */
export const inOrder = <Fs extends Fields>(fields: Fs) =>
  fieldsOf(fields).toSorted(
    ([, a], [, b]) =>
      Number(b.required ?? false) - Number(a.required ?? false) ||
      Number(b.fixed ?? false) - Number(a.fixed ?? false) ||
      ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind),
  );

const isUnset = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** The value of a field as text; null if it is not set. Without a description, the value as JSON. */
export function valueText(
  field: Field | undefined,
  value: unknown,
  planName: PlanName,
): string | null {
  if (isUnset(value)) return null;
  if (field)
    return (TEXTS[field.kind] as (value: unknown, name: PlanName) => string)(value, planName);
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : shortJson(value);
}

const SHOWN_MAX = 200;

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
}
