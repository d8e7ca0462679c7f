import { ACCOUNT_TOPICS, VALUE_TOPICS } from '@keyward/rules/topics.ts';
import type { Topic } from 'keyward';

export type { Topic } from 'keyward';

/** When each event is sent. */
export const TOPIC_TEXTS: Record<Topic, string> = {
  'api-key.created':
    'A key is created or rotated. The key value is included only if everyone who configured this webhook has permission to create the key. Otherwise it is masked.',
  'api-key.updated': 'A key is updated, reactivated, or given a grace period.',
  'api-key.deleted': 'A key is revoked or permanently deleted.',
  'api-key.firstUsed': 'A key is validated for the first time.',
  'api-key.leaked': 'The value of a key or access key is reported as leaked.',
  'access-key.created':
    'An access key is created or rotated. The key value is included only if everyone who configured this webhook has permission to create the key. Otherwise it is masked.',
  'access-key.updated': 'An access key is updated, reactivated, or given a grace period.',
  'access-key.deleted': 'An access key is revoked.',
  'project.updated': 'A project is updated or reactivated.',
  'plan.updated': 'A plan is updated.',
  'customer.updated': 'A customer is updated.',
  'credits.changed': 'Credits of a key or customer are added or set.',
  'api-key.expiring': 'A key expires soon. The settings of the project say how many days before.',
  'api-key.expired': 'A key has expired.',
  'limit.threshold':
    'A share of a limit is used up, such as 80%. The settings of the project say which shares.',
  'credits.low': 'At most 20% of the credits are left.',
  'credits.exhausted': 'No credits are left.',
  'usage.period': 'The usage of an hour or a day, if the project sends usage events.',
  'audit.appended': 'A row is added to the audit log.',
};

/** Its events may contain the full key value. */
export const hasValue = (topic: Topic): boolean =>
  (VALUE_TOPICS as readonly Topic[]).includes(topic);

/** Only webhooks of the whole account receive it. */
export const isAccountOnly = (topic: Topic): boolean =>
  (ACCOUNT_TOPICS as readonly Topic[]).includes(topic);

const allTopics = Object.keys(TOPIC_TEXTS) as Topic[];

export const TOPIC_GROUPS: readonly {
  readonly label: string;
  readonly topics: readonly Topic[];
}[] = [
  { label: 'API keys', prefixes: ['api-key.'] },
  { label: 'Access keys', prefixes: ['access-key.'] },
  { label: 'Limits and credits', prefixes: ['limit.', 'credits.'] },
  { label: 'Projects, plans and customers', prefixes: ['project.', 'plan.', 'customer.'] },
  { label: 'Usage', prefixes: ['usage.'] },
  { label: 'Audit log', prefixes: ['audit.'] },
].map(({ label, prefixes }) => ({
  label,
  topics: allTopics.filter((topic) => prefixes.some((prefix) => topic.startsWith(prefix))),
}));

/** `All events`, `api-key.created`, `api-key.created and 2 more`. */
export function topicsText(topics: readonly Topic[]): string {
  if (topics.length === allTopics.length) return 'All events';
  const more = topics.length - 1;
  return more === 0 ? topics[0]! : `${topics[0]} and ${more} more`;
}
