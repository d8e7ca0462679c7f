import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';

/**
 * Utilization of this process since the previous call, 0 to 1. The higher of two values: the utilization
 * of the event loop, and the CPU time of all threads (storage, hashing) on the available processors.
 */
export function createUtilization(): () => number {
  let loop = performance.eventLoopUtilization();
  let cpu = process.cpuUsage();
  let calledAt = performance.now();
  return () => {
    const now = performance.now();
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, loop);
    const { user, system } = process.cpuUsage(cpu);
    const wholeMs = (now - calledAt) * availableParallelism();
    loop = current;
    cpu = process.cpuUsage();
    calledAt = now;
    return Math.max(utilization, (user + system) / 1000 / wholeMs);
  };
}
