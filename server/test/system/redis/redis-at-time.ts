import { randomUUID } from 'node:crypto';
import type { Counters } from '../../../src/cluster/counters/counters.ts';
import { LocalDecisions } from '../../../src/cluster/counters/redis/local-decisions.ts';
import * as scripts from '../../../src/cluster/counters/redis/scripts.ts';
import { RedisWindows, type Send } from '../../../src/cluster/counters/redis/windows.ts';
import type { TakeSet } from '../../contract/limits-model.ts';

const textBySha = new Map(Object.values(scripts).map(({ sha, text }) => [sha, text]));

/** Runs the scripts at a time that the test chooses, instead of the time of Redis. */
const sendAt =
  (send: Send, now: () => number): Send =>
  ([command, sha, ...rest]) => {
    if (command !== 'EVALSHA') return send([command!, sha!, ...rest]);
    const seconds = Math.floor(now() / 1000);
    const time = `{${seconds}, ${(now() - seconds * 1000) * 1000}}`;
    return send(['EVAL', textBySha.get(sha!)!.replace("redis.call('TIME')", time), ...rest]);
  };

/** Sets of limits in Redis, at the time that each call passes. */
export function openAtTime(send: Send): TakeSet {
  let now = 0;
  const windows = new RedisWindows(
    sendAt(send, () => now),
    `test:${randomUUID()}`,
  );
  const decisions = new LocalDecisions({
    nodes: () => 1,
    clock: () => now,
    isConnected: () => true,
    merge: (...count) => windows.merge(...count),
    raise: (...count) => windows.raise(...count),
  });
  return async (set, cost, time, isDry) => {
    now = time;
    const check = { set, costs: cost, isDry };
    const [grant] = await windows.takeEach([check], time);
    if (grant === undefined || grant instanceof Error) throw grant;
    return decisions.readSet(check, grant, time, true);
  };
}

/** The counters that a validation needs. */
export const countersAtTime = (takeSet: TakeSet): Counters => {
  const counters: Pick<Counters, 'take' | 'takeAll'> = {
    takeAll: (set, cost, now, isDry = false) => takeSet(set, cost, now, isDry),
    async take(counter, limit, ttlMs, now) {
      const only = { counter, limit, ttlMs, isSliding: false, isEnforced: true };
      const set = { group: counter, limits: [only] };
      const { refusedBy, states } = await takeSet(set, 1, now, false);
      const { consumed, resetAt } = states[0]!;
      return { allowed: refusedBy < 0, consumed, resetAt };
    },
  };
  return counters as Counters;
};
