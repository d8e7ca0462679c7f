import Type, { type TSchema } from 'typebox';
import { AccessKey } from '../../access-keys/index.ts';
import { ApiKey } from '../../api-keys/index.ts';
import { TOPICS, type Topic } from '../../changes/index.ts';
import { CreditsChanged } from '../../credits/index.ts';
import { Customer } from '../../customers/index.ts';
import { ReportedLeak } from '../../leaks/index.ts';
import { Project } from '../../projects/index.ts';
import { resourceSchemas } from '../../resources/index.ts';
import {
  AppendedAuditLog,
  CreditsNotice,
  ExpiringKey,
  ThresholdReached,
  UsagePeriod,
} from '../../signals/index.ts';
import { eventFields } from '../deliveries/schema.ts';
import { EXAMPLE_ENVELOPE, exampleOf } from './examples.ts';
import { areaOf, type UsualTopic } from './usual-topics.ts';

/** One topic in the API description: when it is sent, its schema, and an example. */
export interface DescribedEvent {
  readonly topic: Topic;
  readonly summary: string;
  readonly schema: TSchema & { readonly title: string };
  readonly example: object;
}

interface EventDescription {
  /** Default: the topic in capitals, such as `ApiKeyCreated`. */
  readonly title?: string;
  readonly summary: string;
  readonly data: TSchema;
}

/** The topics whose summary and schema are not the usual ones of a resource. */
const SPECIAL: Record<Exclude<Topic, UsualTopic>, EventDescription> & {
  readonly [T in UsualTopic]?: Partial<EventDescription>;
} = {
  'api-key.created': {
    summary:
      'A key was created. `data.key` is the full value only if everyone in `setBy` of the webhook has permission to create the key. Otherwise it is masked. Automatic retries send the same value; it is masked in replays, and when a finished delivery is sent again.',
    data: ApiKey,
  },
  'api-key.deleted': {
    summary: 'A key was revoked or erased.',
    data: ApiKey,
  },
  'api-key.updated': {
    summary: 'A key was updated or reactivated.',
    data: ApiKey,
  },
  'api-key.firstUsed': {
    summary: 'A key was validated for the first time.',
    data: ApiKey,
  },
  'access-key.created': {
    summary:
      'An access key was created. `data.key` is the full value only if everyone in `setBy` of the webhook has permission to create the key. Otherwise it is masked. Automatic retries send the same value; it is masked in replays, and when a finished delivery is sent again.',
    data: AccessKey,
  },
  'access-key.updated': {
    summary: 'An access key was updated or reactivated.',
    data: AccessKey,
  },
  'access-key.deleted': {
    summary: 'An access key was revoked.',
    data: AccessKey,
  },
  'project.updated': {
    summary: 'A project was updated or reactivated.',
    data: Project,
  },
  'plan.updated': {
    summary: 'A plan was updated. The change applies to all keys with this plan.',
  },
  'customer.updated': {
    summary: 'A customer was updated. The change applies to all of its keys.',
    data: Customer,
  },
  'credits.changed': {
    summary: 'Credits of a key or customer were added or set with a request.',
    data: CreditsChanged,
  },
  'api-key.leaked': {
    summary:
      'The value of a key or access key was reported as leaked. `data` is the key or access key, and where its value was found.',
    data: Type.Union([
      Type.Object({ ...ApiKey.properties, ...ReportedLeak }, { title: 'LeakedApiKey' }),
      Type.Object({ ...AccessKey.properties, ...ReportedLeak }, { title: 'LeakedAccessKey' }),
    ]),
  },
  'api-key.expiring': {
    summary:
      'A key expires soon: `expiryDays` in `notices` of the project says when this is sent. Sent once for each key, `expiresAt` and entry of `expiryDays`.',
    data: ExpiringKey,
  },
  'api-key.expired': {
    summary: 'A key has expired. Sent once for each key and `expiresAt`.',
    data: ApiKey,
  },
  'limit.threshold': {
    summary:
      'A share of a limit is used up. `thresholds` in `notices` of the project lists the shares. Sent once per window, and at most once an hour for each limit and threshold.',
    data: ThresholdReached,
  },
  'credits.low': {
    summary: 'At most 20 % of `startingBalance` is left.',
    data: CreditsNotice,
  },
  'credits.exhausted': {
    summary: 'No credits are left.',
    data: CreditsNotice,
  },
  'usage.period': {
    title: 'UsagePeriodClosed',
    summary:
      'The usage of a project in one hour or day, as `usageEvents` of the project says: sent 12 hours and 15 minutes after its end, in parts of at most 500 rows. Everyone in `setBy` of the webhook needs `analytics:read`.',
    data: UsagePeriod,
  },
  'audit.appended': {
    summary:
      'A row was added to the audit log. Only for webhooks of the whole account; everyone in their `setBy` needs `audit:read`.',
    data: AppendedAuditLog,
  },
};

/** `plan.updated`: `PlanUpdated`. */
const titleOf = (topic: Topic): string =>
  topic.replace(/(?:^|[-.])(\w)/g, (_, letter: string) => letter.toUpperCase());

function usual(topic: UsualTopic): EventDescription {
  const [resource, verb] = topic.split('.');
  const area = areaOf(topic);
  return {
    summary: `A ${resource!.replaceAll('-', ' ')} was ${verb}.`,
    data: resourceSchemas(area).record,
  };
}

function described(topic: Topic): EventDescription {
  const special: Partial<EventDescription> = SPECIAL[topic as keyof typeof SPECIAL] ?? {};
  return 'data' in special
    ? (special as EventDescription)
    : { ...usual(topic as UsualTopic), ...special };
}

export const DESCRIBED_EVENTS: readonly DescribedEvent[] = TOPICS.map((topic) => {
  const { title = titleOf(topic), summary, data } = described(topic);
  return {
    topic,
    summary,
    schema: { ...Type.Object({ ...eventFields, type: Type.Literal(topic), data }), title },
    example: { ...EXAMPLE_ENVELOPE, type: topic, data: exampleOf(topic) },
  };
});
