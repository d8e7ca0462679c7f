import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What Linux tells about a process. */
export function rssBytes(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (!match) throw new Error(`Process ${pid} has no memory any more.`);
  return Number(match[1]) * 1024;
}

const NANOSECONDS = 1e9;

export interface CpuSeconds {
  /** Of all threads together, user and system. */
  readonly whole: number;
  /** Of the thread that answers requests. */
  readonly main: number;
}

/** As the scheduler counts it: ticks of 10 ms would be a few per cent of a stretch. */
export function cpuSeconds(pid: number): CpuSeconds {
  const threads = readdirSync(`/proc/${pid}/task`);
  return {
    whole: threads.reduce((sum, thread) => sum + secondsOf(pid, thread), 0),
    main: secondsOf(pid, String(pid)),
  };
}

function secondsOf(pid: number, thread: string): number {
  try {
    const [onCpu] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1);
    return Number(onCpu) / NANOSECONDS;
  } catch (error) {
    // It ended since the list was made.
    if (thread === String(pid)) throw error;
    return 0;
  }
}

/** The smallest of several looks: garbage that is about to be collected is not what we ask for. */
export async function settledRss(pid: number, looks: number, pauseMs: number): Promise<number> {
  let least = rssBytes(pid);
  for (let look = 1; look < looks; look++) {
    await sleep(pauseMs);
    least = Math.min(least, rssBytes(pid));
  }
  return least;
}

const IDLE_LOOK_MS = 200;
const IDLE_SHARE = 0.1;

/** Until it has worked off what it was given before, or nobody wants to wait longer. */
export async function untilIdle(pid: number, withinMs: number): Promise<void> {
  const endsAt = performance.now() + withinMs;
  let before = cpuSeconds(pid).whole;
  while (performance.now() < endsAt) {
    await sleep(IDLE_LOOK_MS);
    const now = cpuSeconds(pid).whole;
    if (now - before < (IDLE_SHARE * IDLE_LOOK_MS) / 1000) return;
    before = now;
  }
}

/** Looks every 20 ms while `work` runs. */
export async function peakRssDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peak = rssBytes(pid);
  const watch = setInterval(() => {
    peak = Math.max(peak, rssBytes(pid));
  }, 20);
  try {
    await work();
    return Math.max(peak, rssBytes(pid));
  } finally {
    clearInterval(watch);
  }
}
