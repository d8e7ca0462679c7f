import { afterEach, expect, it } from 'vitest';
import type { Storage } from '../../../src/storage/index.ts';
import { endlessLists } from '../../harness/endless-lists.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount } from '../other-account.ts';

let test: TestApp;
afterEach(async () => {
  test.storage.endReads();
  await test.close();
});

/** A server in which lists of leaks never end. */
const start = async (options: Parameters<typeof startTestApp>[0] = {}) => {
  test = await startTestApp({
    ...options,
    withStorage: (storage: Storage) => endlessLists(storage, 'leaks'),
  });
};

const reads = () => test.storage.readStatus().request;

/** A request that the test aborts, at the latest at its end. */
const openList = (credential: string) => {
  const aborting = new AbortController();
  const headers = { 'x-api-key': credential };
  const ended = fetch(`${test.url}/leaks`, { headers, signal: aborting.signal }).catch(() => {});
  return { abort: () => aborting.abort(), ended };
};

it('are answered with 503 and what would make them faster, and nobody is told to retry', async () => {
  await start({ readTimeouts: { request: 2_000, background: 240_000 } });
  const response = await test.client.get('/leaks?isActive=true');
  expect(response.status).toBe(503);
  expect(response.body).toMatchObject({
    code: 'query_too_slow',
    message:
      'The database did not answer within the time that one query may take. To make it faster, add `key` or `projectId`.',
  });
  expect(response.headers.get('retry-after')).toBeNull();
  expect(reads()).toMatchObject({ running: 0, timedOut: 1 });
});

it('of one account leave lists of others, validations and readiness as they are', async () => {
  await start();
  const lists = [1, 2, 3].map(() => openList(test.accessKey));
  await expect.poll(() => reads().waiting).toBe(2);
  const { client } = await createOtherAccount(test);
  expect((await client.get('/projects')).status).toBe(200);
  expect((await test.client.get('/readyz')).status).toBe(200);
  expect(reads()).toMatchObject({ running: 1, waiting: 2 });
  for (const list of lists) list.abort();
  await expect.poll(() => reads().running).toBe(0);
  expect(reads()).toMatchObject({ waiting: 0, cancelled: 3 });
  expect((await test.client.get('/projects')).status).toBe(200);
});

it('of several accounts that leave no reader make the node not ready, except for validations', async () => {
  await start();
  const { accessKey } = await createOtherAccount(test);
  const lists = [openList(test.accessKey), openList(accessKey)];
  await expect.poll(() => reads().running).toBe(2);
  const third = await createOtherAccount(test);
  const waiting = third.client.get('/projects');
  // Not through the client, which repeats a call that is refused as overloaded.
  const ready = (query = '') => fetch(`${test.url}/readyz${query}`);
  await expect.poll(async () => (await ready()).status).toBe(503);
  expect(await (await ready()).json()).toMatchObject({
    code: 'overloaded',
    message: expect.stringContaining('wait for the database'),
  });
  expect((await ready('?for=validations')).status).toBe(200);
  const metrics = await test.app.metrics.registry.metrics();
  expect(metrics).toContain('keyward_database_reads_running{lane="request"} 2');
  expect(metrics).toContain('keyward_database_reads_waiting{lane="request"} 1');
  expect(metrics).toMatch(/keyward_database_reads_oldest_wait_seconds\{lane="request"\} [1-9]/);
  expect(metrics).toContain('keyward_database_reads_timed_out_total{lane="background"} 0');
  lists[0]!.abort();
  expect((await waiting).status).toBe(200);
  expect((await ready()).status).toBe(200);
  lists[1]!.abort();
  await Promise.all(lists.map(({ ended }) => ended));
});
