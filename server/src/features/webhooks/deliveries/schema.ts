import Type, { type Static } from 'typebox';
import { Id, nullable, PageQuery, strict, Time, TimeInput } from '../../../kernel/schemas.ts';
import { TopicName, WebhookParams } from '../schema.ts';

const DeliveryState = Type.Enum(['pending', 'held', 'delivered', 'failed', 'cancelled'], {
  description:
    '`pending`: sent when it is due. `held`: waits until its project is active and its webhook live. `failed`: every attempt failed. `cancelled`: will not be sent.',
});

const Attempt = Type.Object(
  {
    startedAt: Time,
    durationMs: Type.Integer(),
    statusCode: nullable(Type.Integer()),
    error: nullable(Type.String()),
    responseBody: nullable(Type.String({ description: 'The start of the response body.' })),
  },
  { title: 'DeliveryAttempt' },
);
export type Attempt = Static<typeof Attempt>;

const deliveryFields = {
  id: Id('dlv', 'the delivery'),
  webhookId: Id('whk', 'its webhook'),
  eventId: Id('evt', 'its event, also sent as `webhook-id`'),
  topic: TopicName,
  resourceId: Type.String({
    description: 'Id of the resource that the event is about, such as a key.',
  }),
  resourceName: Type.String({
    description: 'Its name at the time of the event; empty if it has none.',
  }),
  status: DeliveryState,
  attempts: Type.Integer({ description: 'Number of attempts. `POST …/retry` starts again at 0.' }),
  lastStatusCode: nullable(Type.Integer()),
  lastError: nullable(Type.String()),
  dueAt: nullable(Type.String({ format: 'date-time', description: 'null unless it is pending.' })),
  replayId: nullable(Id('rpl', 'the replay that made it')),
  createdAt: Time,
  updatedAt: Time,
  recentAttempts: Type.Array(Attempt, { description: 'Newest first, at most 10.' }),
};

export const Delivery = Type.Object(deliveryFields, { title: 'Delivery' });
export type Delivery = Static<typeof Delivery>;

/** The envelope of an event. The schema of `data` depends on the topic. */
export const eventFields = {
  id: Id('evt', 'the event; the same on every attempt'),
  type: TopicName,
  timestamp: Time,
  accountId: Id('acc', 'the account'),
  projectId: nullable(Id('prj', 'the project; null if the event belongs to none')),
  actor: Type.Optional(
    Type.Object(
      { type: Type.Literal('portal'), customAccountId: Type.String() },
      { description: 'Only if a customer made the change in the portal.' },
    ),
  ),
};

export const DeliveryWithPayload = Type.Object(
  {
    ...deliveryFields,
    payload: Type.Object(
      { ...eventFields, data: Type.Record(Type.String(), Type.Unknown()) },
      { description: 'The payload, with key values masked.' },
    ),
  },
  { title: 'DeliveryWithPayload' },
);
export type DeliveryWithPayload = Static<typeof DeliveryWithPayload>;

export const DeliveryParams = strict({
  ...WebhookParams.properties,
  delivery: Id('dlv', 'the delivery'),
});

export const ListDeliveries = strict({
  status: Type.Optional(DeliveryState),
  topic: Type.Optional(TopicName),
  from: Type.Optional(TimeInput('Created at this time or later.')),
  to: Type.Optional(TimeInput('Created at this time or earlier.')),
  ...PageQuery,
});
export type ListDeliveries = Static<typeof ListDeliveries>;
