import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, ChildServer, startServer } from '../../harness/child-server.ts';
import { createTestClient } from '../../harness/test-client.ts';
import { LoopImage, requireLoopImages } from './crash/loop-image.ts';

const parent = mkdtempSync(join(tmpdir(), 'keyward-full-'));
const servers = new Set<ChildServer>();
const images = new Set<LoopImage>();

beforeAll(requireLoopImages);
afterEach(async () => {
  for (const server of servers) await server.end('SIGKILL');
  servers.clear();
  for (const image of images) image.remove();
  images.clear();
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

function mounted(name: string): LoopImage {
  const image = LoopImage.make(parent, name).mount();
  images.add(image);
  return image;
}

it('while the disk is full, changes and validations of keys with credits are rejected, and other keys are validated; all works again with free space', async () => {
  const image = mounted('running');
  const { mountPoint } = image;
  const server = await startServer({ dataDir: join(mountPoint, 'data') });
  servers.add(server);
  const client = createTestClient(server.url, BOOTSTRAP_KEY);
  const create = () =>
    client.post('/api-keys', { name: 'x', customMetaData: { filler: 'x'.repeat(15_000) } });
  const { key } = (await create()).body;
  const credits = { remaining: 1_000_000 };
  const metered = (await client.post('/api-keys', { name: 'metered', credits })).body.key;
  const validateMetered = () => client.post('/api-keys/auth', { key: metered });
  expect((await validateMetered()).status).toBe(200);

  image.fill();
  // Space already allocated to the WAL is used first.
  let refused = await create();
  for (let n = 0; n < 2_000 && refused.status === 201; n++) refused = await create();
  expect(refused.body).toMatchObject({ statusCode: 503, code: 'storage_full' });
  expect(refused.headers.get('retry-after')).toBe('30');
  const readiness = await client.get('/readyz');
  expect(readiness.body).toMatchObject({ statusCode: 503, code: 'storage_full' });
  expect((await client.get('/readyz?for=validations')).status).toBe(200);
  for (let n = 0; n < 20; n++)
    expect((await client.post('/api-keys/auth', { key })).status).toBe(200);
  await expect.poll(async () => (await validateMetered()).body.code).toBe('storage_full');

  image.free();
  await expect.poll(async () => (await create()).status).toBe(201);
  await expect.poll(async () => (await client.get('/readyz')).status).toBe(200);
  expect((await validateMetered()).status).toBe(200);
  servers.delete(server);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

async function refusedStart(dataDir: string): Promise<string> {
  const server = new ChildServer({ dataDir });
  servers.add(server);
  expect(await server.exited).toEqual({ code: 1, signal: null });
  return server.output;
}

it('a first start on a full disk names the path, the cause and the remedy', async () => {
  const image = mounted('first');
  const dataDir = join(image.mountPoint, 'data');
  mkdirSync(dataDir);
  image.fill();
  expect(await refusedStart(dataDir)).toBe(
    `keyward: The data directory ${dataDir} is on a disk that is full. Correct that, or choose another with KEYWARD_DATA_DIR.\n`,
  );
});

it('a start on a read-only file system names the path, the cause and the remedy', async () => {
  const image = mounted('read-only');
  const dataDir = join(image.mountPoint, 'data');
  mkdirSync(dataDir);
  image.remountReadOnly();
  expect(await refusedStart(dataDir)).toBe(
    `keyward: The data directory ${dataDir} is on a read-only file system. Correct that, or choose another with KEYWARD_DATA_DIR.\n`,
  );
});
