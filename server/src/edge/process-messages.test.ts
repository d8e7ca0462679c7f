import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ask, respond } from './process-messages.ts';

/** One end of a channel; what it sends is received by `other`. */
class End extends EventEmitter {
  other: End | null = null;
  send(message: unknown, sent: (error: Error | null) => void): boolean {
    const { other } = this;
    queueMicrotask(() => {
      if (other === null) return sent(new Error('closed'));
      other.emit('message', message);
      sent(null);
    });
    return other !== null;
  }
}

function pair() {
  const parent = new End();
  const child = new End();
  parent.other = child;
  child.other = parent;
  return { parent: parent as never, child: child as never, ends: [parent, child] as const };
}

it('both processes can ask at the same time, and each gets its response', async () => {
  const { parent, child } = pair();
  respond(parent, async () => 'of the parent');
  respond(child, async () => 'of the child');
  const asked = [ask(parent, 60_000), ask(child, 60_000), ask(parent, 60_000)];
  expect(await Promise.all(asked)).toEqual(['of the child', 'of the parent', 'of the child']);
});

it('a process that does not respond, ends or has already ended gives null', async () => {
  const silent = pair();
  expect(await ask(silent.parent, 1)).toBeNull();
  const asked = ask(silent.parent, 60_000);
  await setImmediate();
  silent.ends[0].emit('disconnect');
  expect(await asked).toBeNull();
  silent.ends[0].other = null;
  expect(await ask(silent.parent, 60_000)).toBeNull();
  expect(silent.ends[0].eventNames()).toEqual([]);
});

it('a process that cannot read its value responds with null', async () => {
  const { parent, child } = pair();
  respond(child, () => Promise.reject(new Error('no')));
  expect(await ask(parent, 60_000)).toBeNull();
});
