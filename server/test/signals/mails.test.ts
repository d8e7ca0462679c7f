import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../harness/mail-server.ts';
import { START, startTestApp, type TestApp } from '../harness/test-app.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

let mailServer: MailServer;
let test: TestApp;
beforeEach(async () => {
  mailServer = await startMailServer();
  test = await startTestApp({ smtp: mailServer.smtp });
  const notices = { mailTo: ['ops@example.com', 'dev@example.com'] };
  await test.client.patch(`/projects/${test.projectId}`, { notices });
});
afterEach(async () => {
  await test.close();
  await mailServer.close();
  expect(test.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});

const newKeys = async (count: number, expiresAt: number) => {
  const expiry = new Date(expiresAt).toISOString();
  const fields = { projectId: test.projectId, expiry };
  for (let n = 0; n < count; n++)
    await test.client.post('/api-keys', { ...fields, name: `Key ${n}` });
};

const runAt = async (now: number) => {
  test.clock.now = now;
  await test.app.signals.run();
};

const mailsTo = (address: string) => mailServer.received.filter(({ to }) => to.includes(address));

it('sends one mail a day about keys that expire, to each address', async () => {
  await newKeys(25, START + 5 * DAY);
  await runAt(START);
  await runAt(START + 4 * MINUTE);
  expect(await test.storage.read.selectFrom('mails').selectAll().execute()).toEqual([]);
  await runAt(START + 5 * MINUTE);
  const mail = await mailServer.mailTo('ops@example.com');
  expect(mail.text).toContain('Subject: API keys that expire: Default project');
  expect(mail.text).toContain('expires on 2030-01-06 00:00 UTC.');
  const [link] = /https:\/\/keyward\.example\/[\w/]+\/keys\/key_\w+/.exec(mail.text)!;
  expect(link).toContain(`/dashboard/p/${test.projectId}/keys/key_`);
  const page = await fetch(test.url + new URL(link).pathname, { headers: { accept: 'text/html' } });
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/html'),
  ]);
  expect(mail.text).toContain('And 5 more.');
  await mailServer.mailTo('dev@example.com');

  // Later notices wait for the next day.
  await newKeys(1, START + 6 * DAY);
  await runAt(START + 10 * MINUTE);
  await runAt(START + DAY);
  await runAt(START + DAY + 4 * MINUTE);
  expect(mailsTo('ops@example.com')).toHaveLength(1);
  await runAt(START + DAY + 5 * MINUTE);
  await expect.poll(() => mailsTo('ops@example.com')).toHaveLength(2);
  expect(mailsTo('ops@example.com')[1]!.text).toContain('expires on 2030-01-07 00:00 UTC.');
  expect(mailsTo('ops@example.com')[1]!.text).not.toContain('2030-01-06 00:00');
});

it('sends no mail while the project is inactive', async () => {
  await newKeys(1, START + 5 * DAY);
  await runAt(START);
  await test.client.delete(`/projects/${test.projectId}`);
  await runAt(START + 5 * MINUTE);
  expect(await test.storage.read.selectFrom('mails').selectAll().execute()).toEqual([]);
  await test.client.patch(`/projects/${test.projectId}/reactivate`);
  await runAt(START + 6 * MINUTE);
  const { text } = await mailServer.mailTo('ops@example.com');
  expect(text).toContain('expires on 2030-01-06 00:00 UTC.');
});

it('counts all keys, each once', async () => {
  const keys = Array.from({ length: 1_050 }, (_, n) => ({
    name: `Key ${n}`,
    projectId: test.projectId,
    key: `an-imported-key-number-${n}`,
    expiry: new Date(START + 2 * DAY).toISOString(),
  }));
  for (const some of [keys.slice(0, 600), keys.slice(600)])
    expect((await test.client.post('/api-keys/import', { keys: some })).status).toBeLessThan(300);
  await runAt(START + 1);
  // All keys are announced a second time.
  await test.storage.transaction((tx) => tx.deleteFrom('expiry_notices').execute());
  await test.client.patch(`/projects/${test.projectId}`, { notices: { expiryDays: [7, 2] } });
  await runAt(START + 2);
  await runAt(START + 10 * MINUTE);
  const { text } = await mailServer.mailTo('ops@example.com');
  expect(text).toContain('And 1030 more.');
  expect(text.match(/^- Key \d+ /gm)).toHaveLength(20);
});

it('counts at most 10,000 events, and then says "at least"', async () => {
  await newKeys(1, START + 5 * DAY);
  await runAt(START);
  await test.storage.transaction((tx) =>
    sql`with recursive numbers(n) as (select 100001 union all select n + 1 from numbers where n < 110000)
      insert into events (id, type, account_id, project_id, data, created_at)
      select substr(id, 1, 24) || n, type, account_id, project_id,
        '{"id":"key_00000000000000000000' || n || substr(data, 38), created_at
      from events, numbers where type = 'api-key.expiring'`.execute(tx),
  );
  await runAt(START + 5 * MINUTE);
  const { text } = await mailServer.mailTo('ops@example.com');
  expect(text).toContain('And at least 9980 more.');
});

it('includes in the next mail what happened just when a mail was written', async () => {
  await newKeys(1, START + 5 * DAY);
  await runAt(START);
  await runAt(START + 5 * MINUTE);
  await mailServer.mailTo('ops@example.com');
  await newKeys(1, START + 6 * DAY);
  await runAt(START + 5 * MINUTE);
  await runAt(START + DAY + 5 * MINUTE);
  await expect.poll(() => mailsTo('ops@example.com')).toHaveLength(2);
  const { text } = mailsTo('ops@example.com')[1]!;
  expect(text).toContain('expires on 2030-01-07 00:00 UTC.');
  expect(text).not.toContain('2030-01-06 00:00');
});

it('sends a separate mail about limits', async () => {
  const limited = { rateLimitConfigs: { rateLimit: 5, rateLimitTtl: 60 } };
  const { body } = await test.client.post('/api-keys', {
    name: 'Ada <b>',
    projectId: test.projectId,
    ...limited,
  });
  for (let n = 0; n < 5; n++) await test.client.post('/api-keys/auth', { key: body.key });
  await test.app.tally.flush();
  await runAt(START + 5 * MINUTE);
  const { text } = await mailServer.mailTo('ops@example.com');
  expect(text).toContain('Subject: API keys near their limits: Default project');
  expect(text).toContain('is at 5 of 5 requests.');
  expect(text).toContain('Ada &lt;b&gt;');
  expect(text).not.toContain(body.key);
});
