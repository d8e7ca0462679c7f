import { availableParallelism } from 'node:os';

/**
 * How busy this process has been from one question to the next, 0 to 1: the event loop that
 * answers requests, or all threads (storage, hashing) on the available processors, whichever is busier.
 */
export function createUtilization(): () => number {
  let loop = performance.eventLoopUtilization();
  let cpu = process.cpuUsage();
  let askedAt = performance.now();
  return () => {
    const now = performance.now();
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, loop);
    const { user, system } = process.cpuUsage(cpu);
    const wholeMs = (now - askedAt) * availableParallelism();
    loop = current;
    cpu = process.cpuUsage();
    askedAt = now;
    return Math.max(utilization, (user + system) / 1000 / wholeMs);
  };
}
