import Type from 'typebox';
import { KeywardError } from '../../kernel/errors.ts';
import { defineRoute, type Route, Streamed } from '../../kernel/route.ts';
import { strict } from '../../kernel/schemas.ts';
import type { HeldAccessKey } from '../access-keys/index.ts';
import type { ChangeStreams } from './service.ts';

export const changeStreamRoutes = (streams: ChangeStreams): Route[] => [streamChanges(streams)];

const LASTS_SECONDS_MAX = 3_600;

const Query = strict({
  cursor: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'The `id` of the last event heard; the header `Last-Event-ID` says the same.',
    }),
  ),
  maxSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LASTS_SECONDS_MAX,
      description: 'How long the stream lasts. 0: it tells what was missed, and ends.',
    }),
  ),
});

const streamChanges = (streams: ChangeStreams) =>
  defineRoute({
    method: 'GET',
    path: '/changes',
    operationId: 'streamChanges',
    tag: 'changes',
    summary: 'Hear which keys have changed, as it happens',
    description:
      'Server-sent events for clients that remember validations. `change` names a key (`keyId`), or a project all of whose keys are meant (`projectId`): forget them. `reset`: forget everything. `resumed`: what was missed since the cursor has been told. `beat` comes every 250 ms; its `at` says that everything changed before that moment has been told. `end` says why the stream ends. Nothing in it is secret, and it names keys of the access key’s own account or project only.',
    access: 'keys:validate',
    unmetered: true,
    stream: true,
    query: Query,
    reply: Type.String(),
    status: 200,
    errors: ['too_many_streams', 'shutting_down'],
    async handle(call) {
      const { principal } = call.actor;
      if (principal.kind !== 'access-key') throw new KeywardError('scope_missing');
      const accessKey = principal as HeldAccessKey;
      streams.admit(accessKey);
      const { cursor = lastEventId(call.headers), maxSeconds = LASTS_SECONDS_MAX } = call.query;
      return new Streamed((sink) => streams.start(accessKey, sink, cursor, maxSeconds * 1_000));
    },
  });

function lastEventId(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const id = headers['last-event-id'];
  return typeof id === 'string' ? id : undefined;
}
