import Type, { type Static } from 'typebox';
import { Id, Name, nullable, PageQuery, strict, Time } from '../../kernel/schemas.ts';
import { TOPICS } from '../changes/index.ts';

export const TopicName = Type.Enum([...TOPICS], { description: 'What an event tells of.' });

const Topics = Type.Array(TopicName, {
  minItems: 1,
  uniqueItems: true,
  description: 'What the webhook hears of: one or more of `GET /webhooks/topics`.',
  examples: [['api-key.created', 'api-key.deleted']],
});

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'An `https` URL on a public address. Answers 2xx within 15 s; redirects fail.',
  examples: ['https://example.com/hooks/keyward'],
});

const HttpMethod = Type.Enum(['POST', 'PUT'], { description: 'How deliveries are sent.' });

const CustomHeaders = Type.Record(Type.String(), Type.String(), {
  description:
    'Sent with every delivery, at most 20. Names that the service sets itself, like `host`, `content-*` and `webhook-*`, are refused.',
  examples: [{ 'x-tenant': 'acme' }],
});

const MaskedHeaders = Type.Record(Type.String(), Type.String(), {
  description:
    'Values are masked: at most their first 4 characters, then `*********`. A masked value that is sent back in an update stands for the stored one.',
  examples: [{ authorization: 'Bear*********' }],
});

const ProjectId = nullable(Id('prj', 'its project; null: all projects of the account'));

const SettableStatus = Type.Enum(['live', 'paused'], {
  description:
    'A paused webhook sends nothing. What was waiting goes out when it is live again; what happens meanwhile can be replayed.',
});

const Setter = nullable(
  Type.String({ description: 'The id of a person or an access key; null: not known.' }),
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
      'Who last changed each of these settings. `api-key.created` and `access-key.created` carry the key value only if every one of them could create that key at that moment; otherwise the mask.',
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
  status: Type.Enum(['live', 'paused', 'disabled'], {
    description: '`disabled`: by the service, after lasting failure. Set it to `live` to go on.',
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
      description: 'Signs the deliveries, as Standard Webhooks says. Shown only in this answer.',
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
    accountId: Type.Optional(Id('acc', 'the account; only the caller’s own')),
    projectId: Type.Optional(ProjectId),
    httpMethod: Type.Optional(HttpMethod),
    status: Type.Optional(SettableStatus),
    customHeaders: Type.Optional(CustomHeaders),
  },
  'CreateWebhook',
);
export type CreateWebhook = Static<typeof CreateWebhook>;

export const UpdateWebhook = Type.Object(
  {
    name: Type.Optional(Name),
    url: Type.Optional(Url),
    topics: Type.Optional(Topics),
    projectId: Type.Optional(ProjectId),
    httpMethod: Type.Optional(HttpMethod),
    status: Type.Optional(SettableStatus),
    customHeaders: Type.Optional(CustomHeaders),
    takeOver: Type.Optional(
      Type.Literal(true, {
        description:
          'Makes the caller the one who has set everything (`setBy`), without a change of the settings.',
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1, title: 'UpdateWebhook' },
);
export type UpdateWebhook = Static<typeof UpdateWebhook>;

export const WebhookParams = strict({ id: Id('whk', 'the webhook') });

export const ListWebhooks = strict({
  accountId: Type.Optional(Id('acc', 'the account; default: the caller’s own')),
  projectId: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Only of this project; the text `null` means those of the whole account.',
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
      Type.Unknown({ description: 'What to send, as JSON. Default: a small test message.' }),
    ),
    customHeaders: Type.Optional(CustomHeaders),
    headers: Type.Optional(CustomHeaders),
    webhookId: Type.Optional(
      Id('whk', 'a webhook with this `url`: masked values of headers stand for those it has'),
    ),
  },
  'PingWebhook',
);
export type Ping = Static<typeof Ping>;

export const PingResult = Type.Object(
  {
    success: Type.Boolean({ description: 'Whether a 2xx answer arrived in time.' }),
    statusCode: nullable(Type.Integer({ description: 'null: no answer.' })),
    durationMs: Type.Integer(),
    responseBody: Type.String({ description: 'The start of what the endpoint answered.' }),
    error: nullable(Type.String({ description: 'What went wrong, for a person.' })),
  },
  { title: 'PingResult' },
);
export type PingResult = Static<typeof PingResult>;
