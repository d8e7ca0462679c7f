import { setTimeout as sleep } from 'node:timers/promises';
import { LOAD_CORE } from './children.ts';
import { ACCESS_KEY } from './keyward-server.ts';
import { type LoadResult, loadGenerator } from './load/index.ts';
import { type CpuSeconds, cpuSeconds, rssBytes } from './process-figures.ts';

export interface Stretch extends LoadResult {
  readonly cpu: CpuSeconds;
  /** Of its processes, at its end. */
  readonly rss: number;
}

interface LaneOptions {
  readonly port: number;
  /** The processes whose time is counted: one, or a program that works with several. */
  readonly pids: readonly number[];
  readonly keysFile: string;
  readonly accessKey?: string;
  readonly connections?: number;
  readonly keysPerCall?: number;
  readonly core?: number | null;
  /** `all` of the answers are refusals, `none` is, or `some` are. */
  readonly refuses?: 'none' | 'all' | 'some';
  /** Longer than a flush, so that what one side left behind does not run in the other's time. */
  readonly pauseMs?: number;
}

const CONNECTIONS = 64;
const PAUSE_MS = 350;
const RETRIES = 3;
const KEYS_PER_FILL = 100;
const FILL_SECONDS = 1;
/** More than one: calls that a stretch cut off were counted by nobody. */
const FILL_ROUNDS = 1.2;

/** One kind of request to one server, in stretches that go on where the last one ended. */
export class Lane {
  readonly #options: LaneOptions;
  #firstKey = 0;
  readonly stretches: Stretch[] = [];

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Keys asked for so far. */
  get asked(): number {
    return this.#firstKey;
  }

  /** One stretch of load; an answer of the wrong kind makes the whole measurement worthless. */
  async drive(seconds: number): Promise<Stretch> {
    const { pids, refuses = 'none', pauseMs = PAUSE_MS, ...asked } = this.#options;
    const before = total(pids);
    const request = {
      accessKey: ACCESS_KEY,
      connections: CONNECTIONS,
      core: LOAD_CORE,
      keysPerCall: 1,
      ...asked,
      seconds,
      firstKey: this.#firstKey,
    };
    let result = await loadGenerator().drive(request);
    // On a machine that had no time for the generator at all, nothing was measured.
    for (let n = 0; n < RETRIES && result.requests === 0; n++)
      result = await loadGenerator().drive(request);
    this.#firstKey += result.requests;
    check(result, refuses);
    await sleep(pauseMs);
    const after = total(pids);
    const cpu = { whole: after.whole - before.whole, main: after.main - before.main };
    return { ...result, cpu, rss: this.rssBytes() };
  }

  async measure(seconds: number): Promise<Stretch> {
    const stretch = await this.drive(seconds);
    this.stretches.push(stretch);
    return stretch;
  }

  /** Until so many were asked for, and at least once. */
  async warmUp(seconds: number, requests = 1): Promise<void> {
    const end = this.#firstKey + requests;
    while (this.#firstKey < end) await this.drive(seconds);
  }

  /** All keys of its file asked for once at least, many a call: cold ones cost half as much so. */
  async fill(keys: number): Promise<void> {
    const many = new Lane({ ...this.#options, keysPerCall: KEYS_PER_FILL });
    await many.warmUp(FILL_SECONDS, (FILL_ROUNDS * keys) / KEYS_PER_FILL);
  }

  /** Of its processes, at this moment. */
  rssBytes(): number {
    return this.#options.pids.reduce((sum, pid) => sum + rssBytes(pid), 0);
  }

  figures(of: (stretch: Stretch) => number): number[] {
    return this.stretches.map(of);
  }
}

function check({ requests, refused, failures }: LoadResult, refuses: 'none' | 'all' | 'some') {
  if (failures > 0) throw new Error(`${failures} requests failed under load.`);
  if (requests === 0) throw new Error('Nothing was answered under load.');
  if (refuses === 'none' && refused > 0) throw new Error(`${refused} requests were refused.`);
  if (refuses === 'all' && refused < requests)
    throw new Error(`${requests - refused} of ${requests} were not refused.`);
}

function total(pids: readonly number[]): CpuSeconds {
  const each = pids.map(cpuSeconds);
  return {
    whole: each.reduce((sum, { whole }) => sum + whole, 0),
    main: each.reduce((sum, { main }) => sum + main, 0),
  };
}

export const perSecond = ({ requests, seconds }: LoadResult): number => requests / seconds;
export const rssMb = ({ rss }: Stretch): number => rss / 2 ** 20;
export const p50 = ({ p50Ms }: LoadResult): number => p50Ms;
export const p99 = ({ p99Ms }: LoadResult): number => p99Ms;
export const p999 = ({ p999Ms }: LoadResult): number => p999Ms;
export const cpuPerMillion = ({ cpu, requests }: Stretch): number => (cpu.whole / requests) * 1e6;
export const mainCpuPerMillion = ({ cpu, requests }: Stretch): number =>
  (cpu.main / requests) * 1e6;
