import { destination, pino } from 'pino';
import { buildApplication } from '../../src/app/build.ts';
import { deriveSecrets } from '../../src/kernel/crypto.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { LONG_TIMEOUTS } from '../harness/long-timeouts.ts';
import { TEST_ROOT_SECRET } from '../harness/test-app.ts';

/** One node that only sends notices, at the time given, until it is killed. */
const [url, time] = process.argv.slice(2) as [string, string];
const clock = () => Number(time);
const storage = await openPostgres({ url, poolSize: 2, timeouts: LONG_TIMEOUTS });
const app = buildApplication({
  storage,
  secrets: deriveSecrets(TEST_ROOT_SECRET),
  ids: createIds(),
  clock,
  log: pino({ level: 'error' }, destination(2)),
  managementLimit: 1_000,
  trustedProxies: [],
  cacheBytes: 1_000_000,
  webhookAllow: [],
  publicUrl: () => 'https://keyward.example',
  phase: () => 'serving',
});
process.send?.('ready');
for (;;) {
  await app.signals.run();
  process.send?.('idle');
}
