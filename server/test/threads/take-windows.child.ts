import { parentPort, workerData } from 'node:worker_threads';
import { SharedCounters } from '../../src/cluster/shared-counters.ts';

/** One of several threads that take from the same windows as fast as they can. */
const { memory, groups, limit, calls, now } = workerData as {
  memory: SharedArrayBuffer;
  groups: readonly string[];
  limit: number;
  calls: number;
  now: number;
};
const counters = new SharedCounters(memory);
const allowed = new Array<number>(groups.length).fill(0);
for (let call = 0; call < calls; call += 1) {
  const which = call % groups.length;
  if (counters.take(groups[which]!, limit, 3_600_000, now + (call % 3)).allowed)
    allowed[which]! += 1;
}
parentPort!.postMessage(allowed);
