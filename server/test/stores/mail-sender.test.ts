import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { MailQueue } from '../../src/features/people/mail/queue.ts';
import { MailSender } from '../../src/features/people/mail/sender.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { deriveSecrets } from '../../src/kernel/secrets/crypto.ts';
import { type MailServer, startMailServer } from '../harness/mail-server.ts';
import { openTestStorage } from '../harness/test-storage.ts';

const MINUTE_MS = 60_000;

let database: Awaited<ReturnType<typeof openTestStorage>>;
let server: MailServer;
let queue: MailQueue;
let sender: MailSender;
let now = Date.UTC(2030, 0, 1);

beforeEach(async () => {
  database = await openTestStorage();
  server = await startMailServer();
  const { storage } = database;
  const clock = () => now;
  const secrets = deriveSecrets('a root secret for tests, and for nothing else');
  queue = new MailQueue({ storage, secrets, ids: createIds(clock), isConfigured: true });
  sender = new MailSender({ storage, queue, smtp: server.smtp, clock, onError: () => {} });
});
afterEach(async () => {
  await sender.stop();
  await server.close();
  await database.dispose();
});

const mailTo = (to: string) => ({ to, subject: 's', text: 't', html: 'h' });

const put = (count: number, invitationId: string | null = null) =>
  database.storage.transaction(async (tx) => {
    for (let n = 0; n < count; n++)
      await queue.put(tx, mailTo(`${n}@example.com`), now, invitationId);
  });

const waiting = () => database.storage.read.selectFrom('mails').selectAll().execute();

it('sends all due mail without a pause between pages', async () => {
  // The regular poll never runs.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  // Six pages.
  await put(120);
  sender.start();
  await expect.poll(waiting).toEqual([]);
  const addresses = server.received.flatMap(({ to }) => to);
  expect(new Set(addresses).size).toBe(120);
  expect(addresses).toHaveLength(120);
});

it('retries mail that the mail server refused, a minute later by the clock of the sender', async () => {
  server.refusing = true;
  await put(1);
  sender.start();
  await expect.poll(waiting).toMatchObject([{ attempts: 1, due_at: now + MINUTE_MS }]);
  server.refusing = false;
  queue.wake();
  now += MINUTE_MS;
  await expect
    .poll(() => {
      queue.wake();
      return waiting();
    })
    .toEqual([]);
  expect(server.received).toHaveLength(1);
});

it('sends other mail before invitations, even if those have been due for longer', async () => {
  await put(60, 'inv_1');
  now += 1;
  await database.storage.transaction((tx) => queue.put(tx, mailTo('forgot@example.com'), now));
  sender.start();
  await expect.poll(waiting).toEqual([]);
  const addresses = server.received.flatMap(({ to }) => to);
  expect(addresses).toHaveLength(61);
  // In the first page; the mails of a page are sent at the same time.
  expect(addresses.indexOf('forgot@example.com')).toBeLessThan(20);
});
