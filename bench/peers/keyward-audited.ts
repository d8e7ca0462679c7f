import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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
 * port. Told `nothing`, it writes no rows for keys that are created; told `audited`, it does again;
 * told `seal`, it seals what is there. It answers each with a line when that is so.
 */
const SEAL_EVERY_MS = 50;
const [directory] = process.argv.slice(2);
const opened = await openSqlite({ file: join(directory!, 'keyward.db') });
await migrate(opened, Date.now());
const secrets = deriveSecrets(ROOT_SECRET);
const ids = createIds();
await firstBoot(opened, secrets, ids, Date.now(), ACCESS_KEY);

let isAudited = true;
/** Lets every statement through, or all but the one that writes the audit row. */
const storage: Storage = {
  ...opened,
  script: ({ guards, steps }) =>
    opened.script!({
      guards,
      steps: steps.filter(({ statement }) => isAudited || !isLogging(statement)),
    }),
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
// More often than a server does, so that little is left to seal at the end of a short slice.
setInterval(() => void app.sealer.seal(), SEAL_EVERY_MS);
const say = (figures: object): boolean => process.stdout.write(`${JSON.stringify(figures)}\n`);
say({ port: (app.server.server.address() as AddressInfo).port });

for await (const line of createInterface({ input: process.stdin })) {
  // Twice: a run that was under way may have looked before the last row was there.
  if (line === 'seal') for (const _ of [1, 2]) await app.sealer.seal();
  else isAudited = line === 'audited';
  say({});
}
process.exit(0);
