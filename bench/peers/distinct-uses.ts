import { join } from 'node:path';
import {
  DEFAULT_RETENTION,
  UsageKeeper,
  UsageTally,
  UsedAccessKey,
  type UsedKey,
  usageWriter,
} from '../../server/src/features/analytics/index.ts';
import { openSqlite } from '../../server/src/storage/sqlite.ts';

/**
 * Uses every key of a database once, evenly over some seconds, through the real tally and storage.
 * Not over HTTP: reading a million keys that memory does not hold takes longer than a minute, and
 * it is the tally that is asked about. Prints its figures as JSON.
 */
const [directory, keyCount, seconds] = process.argv.slice(2);
const KEYS = Number(keyCount);
const TICK_MS = 5;
const PER_TICK = Math.ceil((KEYS / (Number(seconds) * 1000)) * TICK_MS);
/** More in one turn than a server reads from its connections, after a pause of the machine. */
const PER_TURN_MAX = 20 * PER_TICK;

class Key implements UsedKey {
  seq = 0;
  readonly project: { readonly id: string };
  firstUsedAt: number | null = 1;
  constructor(project: { readonly id: string }) {
    this.project = project;
  }
}
class AccessKey extends UsedAccessKey {
  readonly seq = 1;
}

const storage = await openSqlite({ file: join(directory!, 'keyward.db') });
const { project_id } = await storage.point
  .selectFrom('api_keys')
  .select('project_id')
  .limit(1)
  .executeTakeFirstOrThrow();
const fail = (error: unknown): never => {
  throw error;
};
const tally = new UsageTally({
  write: usageWriter({
    storage,
    outbox: { write: fail, unheard: fail, hold: fail, release: fail, wake: () => {} },
    describe: async () => [],
    clock: Date.now,
  }),
  onError: fail,
});
const keeper = new UsageKeeper({
  storage,
  clock: Date.now,
  retention: DEFAULT_RETENTION,
  onError: fail,
});
const accessKey = new AccessKey();
const project = { id: project_id };
/** Taken again when they have been cut, so that no garbage of ours is measured. */
const pool = Array.from({ length: 100_000 }, () => new Key(project));
tally.start();
keeper.start();

let used = 0;
let heldMsMax = 0;
let rssMax = 0;
// Time of this thread on a processor, not by the clock: other processes do not count as ours.
let spent = process.threadCpuUsage();
const watch = (): void => {
  const { user, system } = process.threadCpuUsage(spent);
  heldMsMax = Math.max(heldMsMax, (user + system) / 1000);
  spent = process.threadCpuUsage();
  rssMax = Math.max(rssMax, process.memoryUsage.rss());
};
globalThis.gc?.();
// That collection was ours.
spent = process.threadCpuUsage();
const rssBefore = process.memoryUsage.rss();
const startedAt = performance.now();
await new Promise<void>((resolve) => {
  const feeding = setInterval(() => {
    watch();
    // As many as are due by the clock, should a tick come late.
    const due = Math.ceil(((performance.now() - startedAt) / TICK_MS) * PER_TICK);
    const now = Date.now();
    const end = Math.min(due, KEYS, used + PER_TURN_MAX);
    for (; used < end; used++) {
      const key = pool[used % pool.length]!;
      key.seq = used + 1;
      tally.count('valid', key, accessKey, now);
    }
    if (used < KEYS) return;
    clearInterval(feeding);
    resolve();
  }, TICK_MS);
});
const fedAt = performance.now();
const watching = setInterval(watch, TICK_MS);
await tally.stop();
const flushedAt = performance.now();
await keeper.settle();
const settledAt = performance.now();
clearInterval(watching);
const { counted, rows } = await storage.read
  .selectFrom('usage_minutes')
  .select((eb) => [eb.fn.sum<number>('valid').as('counted'), eb.fn.countAll<number>().as('rows')])
  .executeTakeFirstOrThrow();
if (rows !== counted) throw new Error('The tally was further behind than the pool is large.');
await keeper.stop();
await storage.close();
process.stdout.write(
  JSON.stringify({
    counted,
    heldMsMax,
    rssGrowth: rssMax - rssBefore,
    feedSeconds: (fedAt - startedAt) / 1000,
    flushSeconds: (flushedAt - fedAt) / 1000,
    settleSeconds: (settledAt - flushedAt) / 1000,
  }),
);
process.exit(0);
