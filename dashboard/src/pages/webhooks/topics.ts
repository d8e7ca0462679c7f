import { ACCOUNT_TOPICS, VALUE_TOPICS } from '@keyward/rules/topics.ts';
import { TOPICS, type Topic } from 'keyward';
import { aNoun, type UsualAction, usualActions } from '../../text/usual.ts';

export type { Topic } from 'keyward';

/** When each event is sent. */
const SPECIAL: Record<Exclude<Topic, UsualAction>, string> & Partial<Record<UsualAction, string>> =
  {
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

const usual = usualActions((noun, verb) => `${aNoun(noun).replace('a', 'A')} is ${verb}.`);

const allTopics = [
  ...(Object.keys(SPECIAL) as Topic[]),
  ...TOPICS.filter((topic) => !(topic in SPECIAL)),
];

export const TOPIC_TEXTS = Object.fromEntries(
  allTopics.map((topic) => [topic, SPECIAL[topic] ?? usual[topic as UsualAction]]),
) as Record<Topic, string>;

/** Its events may contain the full key value. */
export const hasValue = (topic: Topic): boolean =>
  (VALUE_TOPICS as readonly Topic[]).includes(topic);

/** Only webhooks of the whole account receive it. */
export const isAccountOnly = (topic: Topic): boolean =>
  (ACCOUNT_TOPICS as readonly Topic[]).includes(topic);

interface TopicGroup {
  readonly label: string;
  readonly topics: readonly Topic[];
}

const GROUPS: readonly TopicGroup[] = [
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

const others = allTopics.filter((topic) => GROUPS.every(({ topics }) => !topics.includes(topic)));

export const TOPIC_GROUPS: readonly TopicGroup[] =
  others.length === 0 ? GROUPS : [...GROUPS, { label: 'Others', topics: others }];

/** `All events`, `api-key.created`, `api-key.created and 2 more`. */
export function topicsText(topics: readonly Topic[]): string {
  if (topics.length === allTopics.length) return 'All events';
  const more = topics.length - 1;
  return more === 0 ? topics[0]! : `${topics[0]} and ${more} more`;
}
