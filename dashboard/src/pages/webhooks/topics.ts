import type { Topic } from 'keyward';

export type { Topic } from 'keyward';

interface TopicText {
  readonly means: string;
  /** Its events may contain the full key value. */
  readonly hasValue?: true;
  /** Only webhooks of the whole account receive it. */
  readonly isAccountOnly?: true;
}

/** When each event is sent. */
export const TOPICS: Record<Topic, TopicText> = {
  'api-key.created': {
    means:
      'A key is created or rotated. The key value is included only if everyone who configured this webhook has permission to create the key. Otherwise it is masked.',
    hasValue: true,
  },
  'api-key.updated': { means: 'A key is updated, reactivated, or given a grace period.' },
  'api-key.deleted': { means: 'A key is revoked or permanently deleted.' },
  'api-key.firstUsed': { means: 'A key is validated for the first time.' },
  'api-key.leaked': { means: 'The value of a key or access key is reported as leaked.' },
  'access-key.created': {
    means:
      'An access key is created or rotated. The key value is included only if everyone who configured this webhook has permission to create the key. Otherwise it is masked.',
    hasValue: true,
  },
  'access-key.updated': { means: 'An access key is updated or reactivated.' },
  'access-key.deleted': { means: 'An access key is revoked.' },
  'project.updated': { means: 'A project is updated or reactivated.' },
  'plan.updated': { means: 'A plan is updated.' },
  'customer.updated': { means: 'A customer is updated.' },
  'credits.changed': { means: 'Credits of a key or customer are added or set.' },
  'api-key.expiring': { means: 'A key expires soon. The project says how many days before.' },
  'api-key.expired': { means: 'A key has expired.' },
  'limit.threshold': {
    means: 'A share of a limit is used up. The project says which shares.',
  },
  'credits.low': { means: 'At most 20% of the credits are left.' },
  'credits.exhausted': { means: 'No credits are left.' },
  'usage.period': {
    means: 'The usage of an hour or a day, if the project sends usage events.',
  },
  'audit.appended': {
    means: 'A row is added to the audit log.',
    isAccountOnly: true,
  },
};

const allTopics = Object.keys(TOPICS) as Topic[];

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
