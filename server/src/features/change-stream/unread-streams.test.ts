import { expect, it } from 'vitest';
import { createMemoryChangeBus } from '../../cluster/change-bus/memory.ts';
import type { StreamSink } from '../../kernel/route.ts';
import type { CachedAccessKey } from '../access-keys/index.ts';
import { ChangeStreams } from './service.ts';

const MB = 1024 * 1024;

/** A stream whose client has not read so many bytes. */
function sinkWith(unreadBytes: number) {
  const sink = { isDestroyed: false, texts: [] as string[] };
  const stream: StreamSink = {
    unreadBytes,
    write: (text) => sink.texts.push(text),
    end: () => {},
    destroy() {
      sink.isDestroyed = true;
    },
    onClose: () => {},
  };
  return { sink, stream };
}

const accessKey = (accountId: string) =>
  ({ id: 'ak_1', accountId, projectId: null, readAt: 0 }) as unknown as CachedAccessKey;

it.each([
  { unread: 17, isFull: true },
  { unread: 15, isFull: false },
])('with $unread MB unread in an account, streams that lag are closed: $isFull', (each) => {
  const bus = createMemoryChangeBus();
  const streams = new ChangeStreams({ bus, clock: Date.now });
  const open = (accountId: string, unreadBytes: number) => {
    const { sink, stream } = sinkWith(unreadBytes);
    streams.start(accessKey(accountId), stream, undefined, 60_000);
    sink.texts.length = 0;
    return sink;
  };
  const late = Array.from({ length: each.unread }, () => open('acc_1', MB));
  const [prompt, other] = [open('acc_1', 1_000), open('acc_2', MB)];
  expect(streams.unreadBytes).toBe((each.unread + 1) * MB + 1_000);
  const change = { kind: 'api-key', id: 'key_1', projectId: 'prj_1', hash: '' } as const;
  for (const accountId of ['acc_1', 'acc_2']) bus.publish([{ ...change, accountId }]);

  expect(late.map(({ isDestroyed }) => isDestroyed)).toEqual(late.map(() => each.isFull));
  for (const sink of [prompt, other])
    expect([sink.isDestroyed, sink.texts.length]).toEqual([false, 1]);
  streams.stop();
});
