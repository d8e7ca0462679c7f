import { afterEach, beforeEach, expect, it } from 'vitest';
import type { NoticeMails } from '../../src/features/signals/mails.ts';
import { Signals } from '../../src/features/signals/runner.ts';
import { TransactionalOutbox } from '../../src/features/webhooks/events/outbox.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { storeEvents } from '../harness/store-events.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
beforeEach(async () => {
  test = await startTestApp();
  await storeEvents(test.client);
});
afterEach(() => test.close());

const countEvents = async (type: string) =>
  (await test.storage.read.selectFrom('events').select('id').where('type', '=', type).execute())
    .length;

it('runs as soon as it is started', async () => {
  test.app.signals.start();
  await test.app.signals.stop();
  const cursors = test.storage.read.selectFrom('signal_cursors').select('name');
  expect(await cursors.where('name', '=', 'audit stream').execute()).toHaveLength(1);
});

it('goes on with all other jobs while one takes long', async () => {
  const { storage, secrets, clock } = test;
  const mails = Promise.withResolvers<boolean>();
  let mailSteps = 0;
  const signals = new Signals({
    storage,
    outbox: new TransactionalOutbox({
      storage,
      secrets,
      ids: createIds(),
      wake() {},
      readPrincipal: async () => null,
    }),
    clock: () => clock.now,
    elapsed: () => clock.now,
    mails: {
      schedule: async () => {},
      step: () => {
        mailSteps++;
        return mails.promise;
      },
    } as unknown as NoticeMails,
    foldJournal: async () => {},
    hoursKeptFrom: () => 0,
    onError: (error) => {
      throw error;
    },
  });
  const change = async () => {
    const expiry = new Date(clock.now + 60_000).toISOString();
    await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId, expiry });
    await test.app.sealer.seal();
    clock.now += 120_000;
  };
  const runs: Promise<void>[] = [];
  /** Runs repeatedly, as the timer does: a run skips a job that is still busy with an earlier run. */
  const runUntil = (type: string, count: number) =>
    expect
      .poll(() => {
        runs.push(signals.run());
        return countEvents(type);
      })
      .toBe(count);
  await test.app.sealer.seal();
  await test.app.signals.run();
  await test.client.post('/webhooks', {
    name: 'Audit',
    url: 'https://example.com/hook',
    projectId: null,
    topics: ['audit.appended'],
  });
  await change();
  await runUntil('audit.appended', 2);
  await runUntil('api-key.expired', 1);
  await change();
  await runUntil('audit.appended', 3);
  await runUntil('api-key.expired', 2);
  expect(mailSteps).toBe(1);
  mails.resolve(false);
  await Promise.all(runs);
  await signals.stop();
});
