import { type QueryOf, TOPICS } from 'keyward';
import type { Delivery } from '../../api/records.ts';
import { OUTCOME_IDS, type UsageOutcome } from '../../text/outcomes.ts';
import type { Interval } from '../../text/periods.ts';
import { parseRange, type Range } from '../../text/ranges.ts';
import { safeNext } from '../../text/safe-next.ts';

/** What may stand behind the question mark of a page; anything odd is left out. */
type Given = Record<string, unknown>;

const textIn = (given: Given, name: string): string | undefined => {
  const value = given[name];
  return typeof value === 'string' && value !== '' && value.length <= 256 ? value : undefined;
};

/** The router reads an address as JSON where it can: a customer called 12 arrives as a number. */
const idIn = (given: Given, name: string): string | undefined =>
  textIn({ id: typeof given[name] === 'number' ? String(given[name]) : given[name] }, 'id');

const oneOf = <const T extends string>(given: Given, name: string, values: readonly T[]) =>
  values.find((value) => value === given[name]);

interface AccessKeysSearch {
  readonly q?: string | undefined;
  readonly state?: 'active' | 'revoked' | undefined;
  /** Id of the one whose details are open. */
  readonly open?: string | undefined;
}

export const accessKeysSearch = (given: Given): AccessKeysSearch => ({
  q: textIn(given, 'q'),
  state: oneOf(given, 'state', ['active', 'revoked']),
  open: textIn(given, 'open'),
});

export interface AuditLogSearch {
  /** Name or id of what was changed. */
  readonly q?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly time?: '24h' | '7d' | '30d' | 'days' | undefined;
  /** Days, both included: with `time=days`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const auditLogSearch = (given: Given): AuditLogSearch => ({
  q: idIn(given, 'q'),
  actor: textIn(given, 'actor'),
  action: textIn(given, 'action'),
  target: textIn(given, 'target'),
  time: oneOf(given, 'time', ['24h', '7d', '30d', 'days']),
  from: textIn(given, 'from'),
  to: textIn(given, 'to'),
});

interface WebhookSearch {
  readonly status?: Delivery['status'] | undefined;
  readonly topic?: Delivery['topic'] | undefined;
  readonly since?: 'yesterday' | '24h' | '7d' | undefined;
  /** Id of the one whose details are open. */
  readonly delivery?: string | undefined;
}

export const webhookSearch = (given: Given): WebhookSearch => ({
  status: oneOf(given, 'status', ['pending', 'held', 'delivered', 'failed', 'cancelled']),
  topic: oneOf(given, 'topic', TOPICS),
  since: oneOf(given, 'since', ['yesterday', '24h', '7d']),
  delivery: textIn(given, 'delivery'),
});

export interface AnalyticsSearch {
  /** Only this key, customer or plan. */
  readonly key?: string | undefined;
  readonly account?: string | undefined;
  readonly user?: string | undefined;
  readonly plan?: string | undefined;
  readonly outcome?: UsageOutcome | undefined;
  readonly range?: Range | undefined;
  readonly by?: Grouping | undefined;
  readonly interval?: Interval | undefined;
  readonly compare?: boolean | undefined;
}

type Grouping = QueryOf<'getUsage'>['groupBy'];

export const analyticsSearch = (given: Given): AnalyticsSearch => ({
  key: textIn(given, 'key'),
  account: idIn(given, 'account'),
  user: idIn(given, 'user'),
  plan: textIn(given, 'plan'),
  outcome: oneOf(given, 'outcome', OUTCOME_IDS),
  range: given.range === undefined ? undefined : parseRange(given.range),
  by: oneOf(given, 'by', [
    'key',
    'customAccountId',
    'customUserId',
    'plan',
    'outcome',
    'accessKey',
  ]),
  interval: oneOf(given, 'interval', ['hour', 'day', 'week', 'month']),
  compare: given.compare === true || undefined,
});

interface ProjectsSearch {
  /** The dialog that makes one is open, for this environment. */
  readonly create?: 'live' | 'test' | undefined;
}

export const projectsSearch = (given: Given): ProjectsSearch => ({
  create: oneOf(given, 'create', ['live', 'test']),
});

interface LoginSearch {
  readonly next?: string;
  /** The session ended while the dashboard was open. */
  readonly expired?: true;
  /** What another issuer came back with instead of a person. */
  readonly error?: string;
}

export function loginSearch(given: Given): LoginSearch {
  const next = safeNext(given.next);
  const error = textIn(given, 'error');
  return {
    ...(next !== undefined && { next }),
    ...(given.expired === true && { expired: true }),
    ...(error !== undefined && { error }),
  };
}
