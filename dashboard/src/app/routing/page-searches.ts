import type { Outcome } from '@keyward/rules/outcomes.ts';
import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import { type Delivery, type QueryOf, TOPICS } from 'keyward';
import { type FilterSearch, fieldFilters, parseFilters } from '../../fields/filter-search.ts';
import { OUTCOME_IDS } from '../../text/outcomes.ts';
import type { Interval } from '../../text/time/periods.ts';
import { parseRange, type Range } from '../../text/time/ranges.ts';

/** Raw query parameters of a page; invalid values are ignored. */
type RawSearch = Record<string, unknown>;

const textIn = (raw: RawSearch, name: string): string | undefined => {
  const value = raw[name];
  return typeof value === 'string' && value !== '' && value.length <= 256 ? value : undefined;
};

/** The router parses values as JSON if possible, so the customer id `12` arrives as a number. */
const idIn = (raw: RawSearch, name: string): string | undefined =>
  textIn({ id: typeof raw[name] === 'number' ? String(raw[name]) : raw[name] }, 'id');

const oneOf = <const T extends string>(raw: RawSearch, name: string, values: readonly T[]) =>
  values.find((value) => value === raw[name]);

interface AccessKeysSearch {
  readonly q?: string | undefined;
  readonly state?: 'active' | 'revoked' | undefined;
  /** Id of the access key whose details are open. */
  readonly open?: string | undefined;
}

export const accessKeysSearch = (raw: RawSearch): AccessKeysSearch => ({
  q: textIn(raw, 'q'),
  state: oneOf(raw, 'state', ['active', 'revoked']),
  open: textIn(raw, 'open'),
});

export interface AuditLogSearch {
  /** Name or id of the changed resource. */
  readonly q?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly time?: '24h' | '7d' | '30d' | 'days' | undefined;
  /** First and last day, inclusive, with `time=days`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const auditLogSearch = (raw: RawSearch): AuditLogSearch => ({
  q: idIn(raw, 'q'),
  actor: textIn(raw, 'actor'),
  action: textIn(raw, 'action'),
  target: textIn(raw, 'target'),
  time: oneOf(raw, 'time', ['24h', '7d', '30d', 'days']),
  from: textIn(raw, 'from'),
  to: textIn(raw, 'to'),
});

interface WebhookSearch {
  readonly status?: Delivery['status'] | undefined;
  readonly topic?: Delivery['topic'] | undefined;
  readonly since?: 'yesterday' | '24h' | '7d' | undefined;
  /** Id of the delivery whose details are open. */
  readonly delivery?: string | undefined;
}

export const webhookSearch = (raw: RawSearch): WebhookSearch => ({
  status: oneOf(raw, 'status', ['pending', 'held', 'delivered', 'failed', 'cancelled']),
  topic: oneOf(raw, 'topic', TOPICS),
  since: oneOf(raw, 'since', ['yesterday', '24h', '7d']),
  delivery: textIn(raw, 'delivery'),
});

export interface AnalyticsSearch {
  /** Only this key, customer or plan. */
  readonly key?: string | undefined;
  readonly account?: string | undefined;
  readonly user?: string | undefined;
  readonly plan?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly range?: Range | undefined;
  readonly by?: Grouping | undefined;
  readonly interval?: Interval | undefined;
  readonly compare?: boolean | undefined;
}

type Grouping = QueryOf<'getUsage'>['groupBy'];

export const analyticsSearch = (raw: RawSearch): AnalyticsSearch => ({
  key: textIn(raw, 'key'),
  account: idIn(raw, 'account'),
  user: idIn(raw, 'user'),
  plan: textIn(raw, 'plan'),
  outcome: oneOf(raw, 'outcome', OUTCOME_IDS),
  range: raw.range === undefined ? undefined : parseRange(raw.range),
  by: oneOf(raw, 'by', ['key', 'customAccountId', 'customUserId', 'plan', 'outcome', 'accessKey']),
  interval: oneOf(raw, 'interval', ['hour', 'day', 'week', 'month']),
  compare: raw.compare === true || undefined,
});

interface PlansSearch {
  /** The dialog that creates a plan is open. */
  readonly create?: true | undefined;
}

export const plansSearch = (raw: RawSearch): PlansSearch => ({
  create: raw.create === true || undefined,
});

export const CUSTOMER_FILTERS = fieldFilters(CUSTOMER);

export interface CustomersSearch extends FilterSearch<typeof CUSTOMER_FILTERS> {
  readonly q?: string | undefined;
  /** The dialog that creates a customer is open. */
  readonly create?: true | undefined;
}

export const customersSearch = (raw: RawSearch): CustomersSearch => ({
  ...parseFilters(CUSTOMER_FILTERS, raw),
  q: idIn(raw, 'q'),
  create: raw.create === true || undefined,
});

interface ProjectsSearch {
  /** The dialog that creates a project is open, for this environment. */
  readonly create?: 'live' | 'test' | undefined;
}

export const projectsSearch = (raw: RawSearch): ProjectsSearch => ({
  create: oneOf(raw, 'create', ['live', 'test']),
});

interface SettingsSearch {
  /** Error code of a provider that could not be linked. */
  readonly error?: string | undefined;
}

export const settingsSearch = (raw: RawSearch): SettingsSearch => ({ error: textIn(raw, 'error') });

interface LoginSearch {
  readonly next?: string;
  /** The session ended while the dashboard was open. */
  readonly expired?: true;
  /** Error code returned by the identity provider. */
  readonly error?: string;
}

export function loginSearch(raw: RawSearch): LoginSearch {
  const next = safeNext(raw.next);
  const error = textIn(raw, 'error');
  return {
    ...(next !== undefined && { next }),
    ...(raw.expired === true && { expired: true }),
    ...(error !== undefined && { error }),
  };
}

/**
 * The page to open after signing in, from the URL. Only a path within the dashboard is accepted,
 * because anyone can write a link. Paths that a browser reads as another host are rejected.
 */
const safeNext = (next: unknown): string | undefined =>
  typeof next === 'string' && /^\/(?![/\\])[^\\\s]*$/.test(next) ? next : undefined;
