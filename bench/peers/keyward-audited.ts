import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
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
 * The service with its audit log `sealed`, or left out (`nothing`), as the first argument says; in
 * the directory of the second. Prints its port.
 */
const [variant, directory] = process.argv.slice(2);
const opened = await openSqlite({ file: join(directory!, 'keyward.db') });
await migrate(opened, Date.now());
const secrets = deriveSecrets(ROOT_SECRET);
const ids = createIds();
await firstBoot(opened, secrets, ids, Date.now(), ACCESS_KEY);

/** Lets every statement through but the one that writes the audit row. */
const isOther = (statement: { sql: string }) => !statement.sql.includes('"audit_log"');
const withoutRows: Storage = {
  ...opened,
  many: async (tx, statement, rows) => {
    if (isOther(statement)) await opened.many(tx, statement, rows);
  },
  script: async ({ guards, steps }) =>
    opened.script!({ guards, steps: steps.filter(({ statement }) => isOther(statement)) }),
};
const storage = variant === 'nothing' ? withoutRows : opened;
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
if (variant === 'sealed') app.sealer.start();
process.stdout.write(`${(app.server.server.address() as AddressInfo).port}\n`);
process.once('SIGTERM', () => process.exit(0));
