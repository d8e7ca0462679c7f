import Type, { type Static } from 'typebox';
import { Id, PageQuery, strict, Time, TimeInput } from '../../../kernel/schemas.ts';
import { WebhookParams } from '../schema.ts';

export const StartReplay = strict(
  {
    since: TimeInput('Start of the range.'),
    until: Type.Optional(TimeInput('End of the range. Default: now.')),
  },
  'StartReplay',
);
export type StartReplay = Static<typeof StartReplay>;

export const Replay = Type.Object(
  {
    id: Id('rpl', 'the replay'),
    webhookId: Id('whk', 'its webhook'),
    since: Time,
    until: Time,
    status: Type.Enum(['running', 'done', 'cancelled'], {
      description: '`done`: every event is queued; `cancelled`: the webhook was deleted.',
    }),
    total: Type.Integer({ description: 'Events to queue.' }),
    queued: Type.Integer({ description: 'Events queued so far.' }),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'WebhookReplay' },
);
export type Replay = Static<typeof Replay>;

export const ReplayParams = strict({
  ...WebhookParams.properties,
  replay: Id('rpl', 'the replay'),
});

export const ListReplays = strict({ ...PageQuery });
export type ListReplays = Static<typeof ListReplays>;
