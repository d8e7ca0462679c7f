import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { asking, offer } from './thread-calls.ts';

class Gone extends Error {}

let channel: MessageChannel;
beforeEach(() => {
  channel = new MessageChannel();
});
afterEach(() => {
  channel.port1.close();
});

const offers = {
  twice: (n: number) => 2 * n,
  later: async (text: string) => text.toUpperCase(),
  fails: (): never => {
    throw new Gone('it is away');
  },
};

it('answers each call with its own result, whatever comes first', async () => {
  offer(channel.port1, offers);
  const other = asking<typeof offers>(channel.port2);
  const answers = [other.later('a'), other.twice(21), other.later('b'), other.twice(1)];
  expect(await Promise.all(answers)).toEqual(['A', 42, 'B', 2]);
});

it('tells what kind of error it was', async () => {
  offer(channel.port1, offers);
  const other = asking<typeof offers>(channel.port2, ({ kind, message }) =>
    kind === 'Gone' ? new Gone(message) : new Error(message),
  );
  await expect(other.fails()).rejects.toBeInstanceOf(Gone);
  await expect(other.fails()).rejects.toThrow('it is away');
  expect(await other.twice(2)).toBe(4);
});
