import { ACCESS_KEY } from '@keyward/rules/resources/access-key.ts';
import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import type { Fields } from '@keyward/rules/resources/field.ts';
import { PLAN } from '@keyward/rules/resources/plan.ts';
import { PROJECT } from '@keyward/rules/resources/project.ts';
import { inOrder, type PlanName, valueText } from '../fields/texts.ts';

/** One field that differs between two versions of a record. */
export interface Change {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

type Values = Readonly<Record<string, unknown>>;

/** A field with the same name has the same label and texts in all of them. */
const DESCRIBED: Fields = { ...API_KEY, ...ACCESS_KEY, ...CUSTOMER, ...PLAN, ...PROJECT };

/** Fields without a description. */
const LABELS: Readonly<Record<string, string>> = {
  key: 'Value',
  rotatedTo: 'Rotated to',
  url: 'Endpoint URL',
  topics: 'Events',
  httpMethod: 'HTTP method',
  customHeaders: 'Custom headers',
  projectId: 'Level',
  branding: 'Portal branding',
  logo: 'Logo',
  accentColor: 'Accent color',
  format: 'Format',
  notices: 'Notices',
  usageEvents: 'Usage events',
};

const NAMES = [...inOrder(DESCRIBED).map(([name]) => name), ...Object.keys(LABELS)];

const differ = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);

const change = (name: string, before: Values, after: Values, planName: PlanName): Change => ({
  field: DESCRIBED[name]?.label ?? LABELS[name] ?? name,
  before: textOf(name, before[name], planName),
  after: textOf(name, after[name], planName),
});

const idOfPlan: PlanName = (id) => id;

/** The fields of a record that differ, with both values as text. */
export function changesOf(
  before: object | null,
  after: object | null,
  planName = idOfPlan,
): readonly Change[] {
  if (before === null || after === null) return [];
  const [old, now] = [before as Values, after as Values];
  return NAMES.filter((name) => differ(old[name], now[name])).map((name) =>
    change(name, old, now, planName),
  );
}

/** The fields of `after` that differ from `before`. */
export const changedFields = <T extends object>(before: T, after: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => differ(value, (before as Values)[name])),
  ) as Partial<T>;

/**
 * Fields that another user has changed since the record was `seen`, and that `changes` would
 * replace. `before` is their value, `after` the new one. A field that this page does not know is shown by its name, so
 * that no edit is lost silently.
 */
export function conflictsOf(
  seen: object,
  current: object,
  changes: object,
  planName = idOfPlan,
): readonly Change[] {
  const [old, now, own] = [seen as Values, current as Values, changes as Values];
  return Object.keys(own)
    .filter((name) => differ(old[name], now[name]) && differ(now[name], own[name]))
    .map((name) => change(name, now, own, planName));
}

function textOf(name: string, value: unknown, planName: PlanName): string {
  if (name === 'projectId') return value === null ? 'Whole account' : 'Project';
  if (name === 'logo' && value) return 'an image';
  return valueText(DESCRIBED[name], value, planName) ?? 'none';
}
