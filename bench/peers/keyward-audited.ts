import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { buildApplication } from '../../server/src/app/build.ts';
import { firstBoot } from '../../server/src/app/first-boot.ts';
import { deriveSecrets } from '../../server/src/kernel/crypto.ts';
import { createIds } from '../../server/src/kernel/ids.ts';
import type { Storage } from '../../server/src/storage/index.ts';
import { migrate } from '../../server/src/storage/migrate.ts';
import { openSqlite } from '../../server/src/storage/sqlite.ts';
import { ACCESS_KEY, ROOT_SECRET } from '../keyward-server.ts';

/**
 * The service in the directory of its argument, with an audit log that can be left out. Prints its
 * port. Told a number of seconds, it writes rows for changes and leaves them out by turns until then,
 * under whatever load there is, and prints what it did in each turn. Rows are sealed at the end of it,
 * which is twice as often as in service.
 */
const TURN_MS = 250;
const [directory] = process.argv.slice(2);
const opened = await openSqlite({ file: join(directory!, 'keyward.db') });
await migrate(opened, Date.now());
const secrets = deriveSecrets(ROOT_SECRET);
const ids = createIds();
await firstBoot(opened, secrets, ids, Date.now(), ACCESS_KEY);

/** What is made before and after what is weighed leaves nothing to seal. */
let isAudited = false;
let changes = 0;
/** Lets every statement through, or all but the one that writes the audit row. */
const storage: Storage = {
  ...opened,
  script: async ({ guards, steps }) => {
    const rest = steps.filter(({ statement }) => !isLogging(statement));
    const done = await opened.script!({ guards, steps: isAudited ? steps : rest });
    if (rest.length < steps.length) changes++;
    return done;
  },
};

/** Looked at once: to search its text each time would weigh on the side without rows alone. */
const logging = new Map<string, boolean>();
function isLogging({ sql }: { readonly sql: string }): boolean {
  const known = logging.get(sql);
  if (known !== undefined) return known;
  const is = sql.includes('"audit_log"');
  logging.set(sql, is);
  return is;
}
const app = buildApplication({
  storage,
  secrets,
  ids,
  clock: Date.now,
  log: pino({ level: 'warn' }),
  managementLimit: 1_000_000_000,
  trustedProxies: [],
  webhookAllow: [],
  cacheBytes: 64 * 2 ** 20,
  publicUrl: () => 'http://127.0.0.1',
  phase: () => 'serving',
});
await app.server.listen({ port: 0, host: '127.0.0.1' });
app.tally.start();
const say = (figures: object): boolean => process.stdout.write(`${JSON.stringify(figures)}\n`);
say({ port: (app.server.server.address() as AddressInfo).port });

export interface Turn {
  readonly changes: number;
  readonly ms: number;
  /** Of all threads. */
  readonly cpuMicros: number;
}

async function turn(audited: boolean): Promise<Turn> {
  isAudited = audited;
  const before = { changes, at: performance.now(), cpu: process.cpuUsage() };
  await sleep(TURN_MS);
  // Within the turn that wrote the rows; those that come meanwhile wait for the next one.
  if (audited) await app.sealer.seal();
  const { user, system } = process.cpuUsage(before.cpu);
  const ms = performance.now() - before.at;
  if (changes === before.changes) throw new Error('Nothing was changed in a whole turn.');
  return { changes: changes - before.changes, ms, cpuMicros: user + system };
}

for await (const seconds of createInterface({ input: process.stdin })) {
  const turns: { readonly audited: Turn; readonly nothing: Turn }[] = [];
  const end = performance.now() + Number(seconds) * 1000;
  while (performance.now() < end) {
    // Back and forth: A B B A.
    if (turns.length % 2 === 0)
      turns.push({ audited: await turn(true), nothing: await turn(false) });
    else turns.push({ nothing: await turn(false), audited: await turn(true) });
  }
  isAudited = false;
  say({ turns });
}
process.exit(0);
