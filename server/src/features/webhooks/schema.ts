import Type, { type Static } from 'typebox';
import {
  AccountOfRequest,
  Id,
  Name,
  nullable,
  PageQuery,
  someOf,
  strict,
  Time,
  titled,
} from '../../kernel/schemas.ts';
import { TOPICS } from '../changes/index.ts';

export const TopicName = Type.Enum([...TOPICS], { description: 'The type of an event.' });

const Topics = Type.Array(TopicName, {
  minItems: 1,
  uniqueItems: true,
  description: 'The events to send: one or more of `GET /webhooks/topics`.',
  examples: [['api-key.created', 'api-key.deleted']],
});

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'An `https` URL with a public address. It must respond with 2xx within 15 s; redirects are not followed.',
  examples: ['https://example.com/hooks/keyward'],
});

const HttpMethod = Type.Enum(['POST', 'PUT'], { description: 'The method of deliveries.' });

const Format = Type.Enum(['standard', 'cloudevents'], {
  description:
    '`standard`: the event as its schema says. `cloudevents`: a CloudEvents 1.0 event as structured JSON, which never carries a key value. Both are signed alike.',
});

const CustomHeaders = Type.Record(Type.String(), Type.String(), {
  description:
    'Sent with every delivery, at most 20. Names that the service sets itself, like `host`, `content-*` and `webhook-*`, are rejected.',
  examples: [{ 'x-tenant': 'acme' }],
});

const MaskedHeaders = Type.Record(Type.String(), Type.String(), {
  description:
    'Values are masked: at most their first 4 characters, then `*********`. A masked value that is sent back in an update keeps the stored one.',
  examples: [{ authorization: 'Bear*********' }],
});

const ProjectId = nullable(Id('prj', 'its project; null: all projects of the account'));

const SettableStatus = Type.Enum(['live', 'paused'], {
  description:
    'A paused webhook sends nothing. Waiting deliveries are sent when it is live again; events that happen meanwhile can be replayed.',
});

const Setter = nullable(
  Type.String({ description: 'The id of a user or an access key; null if unknown.' }),
);

const SetBy = Type.Object(
  {
    url: Setter,
    httpMethod: Setter,
    customHeaders: Setter,
    topics: Setter,
    projectId: Setter,
  },
  {
    title: 'WebhookSetBy',
    description:
      'Who last changed each of these settings. `api-key.created` and `access-key.created` carry the key value only if all of them could create that key at that moment; otherwise the mask.',
  },
);

const webhookFields = {
  id: Id('whk', 'the webhook'),
  accountId: Id('acc', 'its account'),
  projectId: ProjectId,
  name: Name,
  url: Url,
  topics: Topics,
  httpMethod: HttpMethod,
  format: Format,
  status: Type.Enum(['live', 'paused', 'disabled'], {
    description:
      '`disabled`: the service stopped it after five days of failures, or after a 410 response. Set `live` to resume.',
  }),
  disabledReason: nullable(Type.String({ description: 'Why the service disabled it.' })),
  customHeaders: MaskedHeaders,
  setBy: SetBy,
  createdAt: Time,
  updatedAt: Time,
};

export const Webhook = Type.Object(webhookFields, { title: 'Webhook' });
export type Webhook = Static<typeof Webhook>;

export const WebhookWithSecret = Type.Object(
  {
    ...webhookFields,
    secret: Type.String({
      description:
        'Signs the deliveries as specified by Standard Webhooks. Shown only in this response.',
      examples: ['whsec_…'],
    }),
  },
  { title: 'WebhookWithSecret' },
);
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const CreateWebhook = strict(
  {
    name: Name,
    url: Url,
    topics: Topics,
    accountId: AccountOfRequest,
    projectId: Type.Optional(ProjectId),
    httpMethod: Type.Optional(HttpMethod),
    format: Type.Optional(Format),
    status: Type.Optional(SettableStatus),
    customHeaders: Type.Optional(CustomHeaders),
  },
  'CreateWebhook',
);
export type CreateWebhook = Static<typeof CreateWebhook>;

export const UpdateWebhook = someOf(
  {
    name: Type.Optional(Name),
    url: Type.Optional(Url),
    topics: Type.Optional(Topics),
    projectId: Type.Optional(ProjectId),
    httpMethod: Type.Optional(HttpMethod),
    format: Type.Optional(Format),
    status: Type.Optional(SettableStatus),
    customHeaders: Type.Optional(CustomHeaders),
    takeOver: Type.Optional(
      Type.Literal(true, {
        description: 'Makes the caller the author of all settings (`setBy`) without changing them.',
      }),
    ),
  },
  'UpdateWebhook',
);
export type UpdateWebhook = Static<typeof UpdateWebhook>;

export const WebhookParams = strict({ id: titled('WebhookId', Id('whk', 'the webhook')) });

export const ListWebhooks = strict({
  accountId: AccountOfRequest,
  projectId: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'Only webhooks of this project; the text `null` matches those of the whole account.',
    }),
  ),
  topic: Type.Optional(TopicName),
  ...PageQuery,
});
export type ListWebhooks = Static<typeof ListWebhooks>;

export const Ping = strict(
  {
    url: Url,
    httpMethod: Type.Optional(HttpMethod),
    body: Type.Optional(
      Type.Unknown({ description: 'The JSON body to send. Default: a small test message.' }),
    ),
    customHeaders: Type.Optional(CustomHeaders),
    headers: Type.Optional(CustomHeaders),
    webhookId: Type.Optional(
      Id('whk', 'a webhook with this `url`, whose header values replace masked ones'),
    ),
  },
  'PingWebhook',
);
export type Ping = Static<typeof Ping>;

export const PingResult = Type.Object(
  {
    success: Type.Boolean({ description: 'Whether a 2xx response arrived in time.' }),
    statusCode: nullable(Type.Integer({ description: 'null: no response.' })),
    durationMs: Type.Integer(),
    responseBody: Type.String({ description: 'The start of the response body.' }),
    error: nullable(Type.String({ description: 'What went wrong.' })),
  },
  { title: 'PingResult' },
);
export type PingResult = Static<typeof PingResult>;
