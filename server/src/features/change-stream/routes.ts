import Type from 'typebox';
import { KeywardError } from '../../kernel/errors.ts';
import { defineRoute, type Route, Streamed } from '../../kernel/route.ts';
import { strict } from '../../kernel/schemas.ts';
import type { CachedAccessKey } from '../access-keys/index.ts';
import type { ChangeStreams } from './service.ts';

export const changeStreamRoutes = (streams: ChangeStreams): Route[] => [streamChanges(streams)];

const STREAM_SECONDS_MAX = 3_600;

const Query = strict({
  cursor: Type.Optional(
    Type.String({
      maxLength: 128,
      description:
        'The `id` of the last event that was received. The header `Last-Event-ID` can be used instead.',
    }),
  ),
  maxSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: STREAM_SECONDS_MAX,
      description: 'How long the stream lasts. 0: it sends the missed changes and ends.',
    }),
  ),
});

const streamChanges = (streams: ChangeStreams) =>
  defineRoute({
    method: 'GET',
    path: '/changes',
    operationId: 'streamChanges',
    tag: 'changes',
    summary: 'Receive changes of keys as they happen',
    description:
      'Server-sent events for clients that cache validations. `change` names a key (`keyId`), or a project (`projectId`) for all of its keys: remove them from the cache. If it also names a plan (`planId`) or a `customer`, only keys of that plan or customer have changed. `reset`: clear the cache. `resumed`: all changes since the cursor have been sent. `beat` is sent every 250 ms; all changes made before its time `at` have been sent. `end` gives the reason why the stream ends. Events contain no secrets, and only keys of the access key’s own account or project.',
    example: {
      query: { maxSeconds: 1 },
      response:
        'id: 7c1f….42\nevent: reset\ndata: {"at":1893499200000,"now":1893499200000,"beatMs":250}\n\nevent: end\ndata: {"reason":"duration_reached"}\n\n',
    },
    access: 'keys:validate',
    unmetered: true,
    stream: true,
    query: Query,
    reply: Type.String(),
    status: 200,
    errors: ['too_many_streams', 'shutting_down'],
    async handle(call) {
      const { principal } = call.actor;
      if (principal.kind !== 'access-key')
        throw new KeywardError('scope_missing', 'Only access keys can use this endpoint.');
      const accessKey = principal as CachedAccessKey;
      streams.admit(accessKey);
      const { cursor = lastEventId(call.headers), maxSeconds = STREAM_SECONDS_MAX } = call.query;
      return new Streamed((sink) => streams.start(accessKey, sink, cursor, maxSeconds * 1_000));
    },
  });

function lastEventId(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const id = headers['last-event-id'];
  return typeof id === 'string' ? id : undefined;
}
