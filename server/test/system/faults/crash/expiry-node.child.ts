import { MailQueue } from '../../../../src/features/people/mail/queue.ts';
import { NoticeMails } from '../../../../src/features/signals/mails.ts';
import { Signals } from '../../../../src/features/signals/runner.ts';
import { TransactionalOutbox } from '../../../../src/features/webhooks/events/outbox.ts';
import { createIds } from '../../../../src/kernel/ids.ts';
import { deriveSecrets } from '../../../../src/kernel/secrets/crypto.ts';
import { openPostgres } from '../../../../src/storage/postgres.ts';
import { LONG_TIMEOUTS } from '../../../harness/long-timeouts.ts';

/** One node that only sends notices, at the time given, until it is killed. */
const [url, time] = process.argv.slice(2) as [string, string];
const clock = () => Number(time);
const storage = await openPostgres({ url, poolSize: 2, timeouts: LONG_TIMEOUTS });
const secrets = deriveSecrets('a root secret for tests, and for nothing else');
const ids = createIds();
const signals = new Signals({
  storage,
  outbox: new TransactionalOutbox({
    storage,
    secrets,
    ids,
    wake() {},
    readPrincipal: async () => null,
  }),
  clock,
  mails: new NoticeMails({
    storage,
    mails: new MailQueue({ storage, secrets, ids, isConfigured: false }),
    publicUrl: () => 'https://keyward.example',
  }),
  foldJournal: async () => {},
  hoursKeptFrom: () => 0,
  elapsed: clock,
  onError(error, doing) {
    console.error(doing, error);
  },
});
process.send?.('ready');
for (;;) await signals.run();
