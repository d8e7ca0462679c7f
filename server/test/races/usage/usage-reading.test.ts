import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../../src/storage/index.ts';
import type { TestApp } from '../../harness/test-app.ts';
import { FailingUsage, startWithKeys } from './usage-flush-harness.ts';

let test: TestApp;
let usage: FailingUsage;

beforeAll(async () => {
  test = await startWithKeys();
});
afterAll(() => test?.close());
beforeEach(async () => {
  usage = await FailingUsage.create(test);
});

describe('the journal', () => {
  const journalOne = async () => {
    const { journalling, keys, accessKey } = usage;
    journalling.count('valid', keys[0]!, accessKey, test.clock.now);
    await journalling.flush();
  };

  it('is folded to an end even if batches are added all the time', async () => {
    await journalOne();
    let more = 0;
    const busy: Storage = {
      ...test.storage,
      async transaction(work, options) {
        if (more < 20) {
          more++;
          await journalOne();
        }
        return test.storage.transaction(work, options);
      },
    };
    const maintenance = usage.maintenanceOn(busy);
    await maintenance.foldJournal();
    expect(await usage.sumOf('usage_minutes')).toBe(1);
    expect(await usage.journaledBatches()).toBe(more);
    expect(more).toBeLessThan(20);
  });

  it('is folded up to the newest batch at the time of the call, also during another fold', async () => {
    await journalOne();
    const first = test.app.usageMaintenance.foldJournal();
    await test.storage.transaction(async () => {});
    await journalOne();
    await Promise.all([
      test.app.usageMaintenance.foldJournal(),
      test.app.usageMaintenance.foldJournal(),
    ]);
    expect(await usage.sumOf('usage_minutes')).toBe(2);
    await first;
    expect(await usage.journaledBatches()).toBe(0);
  });

  it.each([
    ['project-totals', 1],
    ['usage?groupBy=outcome&interval=hour', 1],
    ['usage?groupBy=accessKey&interval=hour', 1],
    ['project-totals?customUserId=null', 0],
    ['api-key-totals', 0],
    ['usage?groupBy=outcome&interval=hour&customUserId=null', 0],
    ['usage?groupBy=customUserId&interval=hour', 0],
  ])('after GET /analytics/%s has %i batches left', async (path, left) => {
    await journalOne();
    const { status, body } = await test.client.get(`/analytics/${path}`);
    expect(status).toBe(200);
    expect(body.reduce((sum: number, row: { total: number }) => sum + row.total, 0)).toBe(1);
    expect(await usage.journaledBatches()).toBe(left);
  });
});

it('usage queries include journaled counts', async () => {
  const { journalling, keys, accessKey } = usage;
  for (const key of keys) journalling.count('valid', key, accessKey, test.clock.now);
  await journalling.flush();
  expect(await usage.sumOf('usage_minutes')).toBe(0);
  expect(await usage.reportedTotal('')).toBe(keys.length);
});
