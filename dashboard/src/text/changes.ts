import type { CreditsInput, PlanCredits } from 'keyward';
import { creditsText, planCreditsText } from './limits/credits.ts';
import { limitText, type NamedLimit, namedLimitText } from './limits/limits.ts';
import { exactTime } from './time/times.ts';

/** One field that differs between two versions of a record. */
export interface Change {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

type Fields = Readonly<Record<string, unknown>>;

const NAMES = {
  name: 'Name',
  key: 'Value',
  customAccountId: 'Customer ID',
  customUserId: 'User ID',
  email: 'Email',
  planId: 'Plan',
  defaultPlanId: 'Default plan',
  expiresAt: 'Expiry',
  rateLimitConfigs: 'Rate limit',
  limits: 'Limits',
  credits: 'Credits',
  allowedDomains: 'Allowed domains',
  permissions: 'Permissions',
  allowedIPs: 'Allowed IP addresses',
  startsAt: 'Start',
  tags: 'Tags',
  customMetaData: 'Metadata',
  rotatedTo: 'Rotated to',
  scopes: 'Scopes',
  url: 'Endpoint URL',
  topics: 'Events',
  httpMethod: 'HTTP method',
  customHeaders: 'Custom headers',
  projectId: 'Level',
  keyPrefix: 'Key prefix',
  branding: 'Portal branding',
  logo: 'Logo',
  accentColor: 'Accent color',
  portalOrigins: 'Portal sites',
  format: 'Format',
  notices: 'Notices',
  usageEvents: 'Usage events',
} as const;

type Name = keyof typeof NAMES;

const differ = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);

/** Returns the name of a plan. */
export type PlanName = (id: string) => string;

const change = (name: Name, before: Fields, after: Fields, planName: PlanName): Change => ({
  field: NAMES[name],
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
  const [old, now] = [before as Fields, after as Fields];
  return (Object.keys(NAMES) as Name[])
    .filter((name) => differ(old[name], now[name]))
    .map((name) => change(name, old, now, planName));
}

/** The fields of `after` that differ from `before`. */
export const changedFields = <T extends object>(before: T, after: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => differ(value, (before as Fields)[name])),
  ) as Partial<T>;

/**
 * Fields that another user has changed since the record was `seen`, and that `changes` would
 * replace. `before` is their value, `after` the new one.
 */
export function conflictsOf(
  seen: object,
  current: object,
  changes: object,
  planName = idOfPlan,
): readonly Change[] {
  const [old, now, own] = [seen as Fields, current as Fields, changes as Fields];
  return (Object.keys(own) as Name[])
    .filter((name) => differ(old[name], now[name]) && differ(now[name], own[name]))
    .filter((name) => name in NAMES)
    .map((name) => change(name, now, own, planName));
}

function textOf(field: Name, value: unknown, planName: PlanName): string {
  if (field === 'projectId') return value === null ? 'Whole account' : 'Project';
  if (value === null || value === undefined) return 'none';
  if (field === 'logo') return 'an image';
  if (field === 'planId' || field === 'defaultPlanId') return planName(String(value));
  if (field === 'expiresAt' || field === 'startsAt') return exactTime(Date.parse(String(value)));
  if (field === 'rateLimitConfigs') return limitText(value as Parameters<typeof limitText>[0]);
  if (field === 'limits' && Array.isArray(value) && value.length > 0)
    return (value as NamedLimit[]).map(namedLimitText).join('; ');
  if (field === 'credits')
    return 'refill' in (value as object)
      ? creditsText(value as CreditsInput)
      : planCreditsText(value as PlanCredits);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'string' ? value : shortened(JSON.stringify(value));
}

const SHOWN_MAX = 200;

const shortened = (text: string): string =>
  text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
