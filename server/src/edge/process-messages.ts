import type { ChildProcess } from 'node:child_process';

/** Environment variable with the number of this process, set if several processes share the port. */
export const PROCESS_NUMBER = 'KEYWARD_EDGE_PROCESS_NUMBER';

/** An IPC channel: a child process, or this process if it has a parent. */
type Channel = Pick<ChildProcess | NodeJS.Process, 'on' | 'off'> &
  Partial<Pick<ChildProcess, 'send'>>;

type Message =
  | { readonly requestId: number }
  | { readonly responseTo: number; readonly value: unknown };

let lastId = 0;

/** The value that the other process passes to `respond`; null if it ends, or does not respond in time. */
export function ask<Value>(channel: Channel, timeoutMs: number): Promise<Value | null> {
  const requestId = ++lastId;
  return new Promise((resolve) => {
    const finish = (value: Value | null): void => {
      clearTimeout(timer);
      channel.off('message', read);
      channel.off('disconnect', fail);
      resolve(value);
    };
    const fail = () => finish(null);
    const read = (message: Message) => {
      if ('responseTo' in message && message.responseTo === requestId)
        finish(message.value as Value);
    };
    const timer = setTimeout(fail, timeoutMs);
    channel.on('message', read);
    channel.on('disconnect', fail);
    channel.send!({ requestId }, (error: Error | null) => {
      if (error !== null) fail();
    });
  });
}

/** Responds to every `ask` of the process at the other end. */
export function respond(channel: Channel, read: () => Promise<unknown>): void {
  channel.on('message', async (message: Message) => {
    if (!('requestId' in message)) return;
    const value = await read().catch(() => null);
    // The process at the other end may have ended.
    channel.send!({ responseTo: message.requestId, value }, () => {});
  });
}
