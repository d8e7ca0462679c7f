import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { RESERVE_BYTES } from '../../../src/storage/sqlite/disk-reserve.ts';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../../harness/child-server.ts';
import { figure, scaled } from '../../harness/scale.ts';
import { createTestClient, type TestClient, type TestResponse } from '../../harness/test-client.ts';
import { createTestPerson } from '../../harness/test-person.ts';
import { LoopImage, requireLoopImages } from './crash/loop-image.ts';

const parent = mkdtempSync(join(tmpdir(), 'keyward-reserve-'));
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

/** A server on a file system of 64 MB of its own. */
class SmallDisk {
  readonly image: LoopImage;
  readonly #dataDir: string;
  server!: ChildServer;
  client!: TestClient;

  constructor(name: string) {
    this.image = LoopImage.make(parent, name).mount();
    images.add(this.image);
    this.#dataDir = join(this.image.mountPoint, 'data');
  }

  async start(): Promise<void> {
    const server = await startServer({
      dataDir: this.#dataDir,
      env: {
        KEYWARD_PUBLIC_URL: 'https://keyward.example',
        KEYWARD_MANAGEMENT_LIMIT: '1000000',
        KEYWARD_LOG_LEVEL: 'fatal',
      },
    });
    servers.add(server);
    this.server = server;
    this.client = createTestClient(server.url, BOOTSTRAP_KEY);
  }

  get reserve() {
    const { size, blocks, mode } = statSync(join(this.#dataDir, 'keyward.reserve'));
    return { size, allocated: blocks * 512, mode: mode & 0o777 };
  }

  /** Fills the disk, and what SQLite has already allocated, until a small change is refused. */
  async fill(): Promise<void> {
    this.image.fill();
    const [{ id: projectId }] = (await this.client.get('/projects')).body;
    const create = () => this.client.post('/api-keys', { name: 'x', projectId });
    let last = await create();
    for (let n = 0; n < 20_000 && last.status === 201; n++) last = await create();
    expect(last.body).toMatchObject({ statusCode: 503, code: 'storage_full' });
  }

  async made(path: string, body: object): Promise<TestResponse['body']> {
    const response = await this.client.post(path, body);
    expect(response.status, response.text).toBe(201);
    return response.body;
  }
}

const OWNER = { name: 'Ada', email: 'ada@example.com', password: 'a long way from home' };

it('on a full disk, rights can be taken away and people can sign in for that; other changes are refused until the reserve is whole again', async () => {
  const disk = new SmallDisk('running');
  await disk.start();
  const { client, server } = disk;
  expect(disk.reserve).toMatchObject({ size: RESERVE_BYTES, mode: 0o600 });
  expect(disk.reserve.allocated).toBeGreaterThanOrEqual(RESERVE_BYTES);

  const token = /#token=(\S+)/.exec(server.stdout)![1];
  const known = createTestPerson(server.url);
  expect((await known.post('/auth/setup', { token, ...OWNER })).body).toMatchObject({
    status: 'signed-in',
  });
  const [revoked, rotated, byPerson, kept, ofProject] = await Promise.all(
    [1, 2, 3, 4]
      .map((n) => disk.made('/api-keys', { name: `key ${n}` }))
      .concat(
        disk.made('/projects', { name: 'Other', env: 'live' }).then(async ({ id }) => ({
          ...(await disk.made('/api-keys', { name: 'of the project', projectId: id })),
          projectId: id,
        })),
      ),
  );
  const revoking = await disk.made('/projects', { name: 'Revokes leaks', env: 'live' });
  const onLeak = await client.patch(`/projects/${revoking.id}`, { onLeak: 'revoke' });
  expect(onLeak.status, onLeak.text).toBe(200);
  const leaked = await disk.made('/api-keys', { name: 'leaked', projectId: revoking.id });
  const accessKey = await disk.made('/access-keys', { name: 'CI', scopes: ['keys:read'] });
  const webhook = await disk.made('/webhooks', {
    name: 'Hook',
    url: 'https://hooks.example.com/',
    topics: ['api-key.deleted'],
  });
  const validate = async ({ key }: { key: string }) =>
    (await client.post('/api-keys/auth', { key })).status;
  expect(await validate(kept)).toBe(200);

  await disk.fill();
  expect(disk.reserve.size).toBe(RESERVE_BYTES);

  const person = createTestPerson(server.url);
  const { email, password } = OWNER;
  expect((await person.post('/auth/sign-in', { email, password })).body).toEqual({
    status: 'signed-in',
  });
  expect((await person.delete(`/api-keys/${byPerson.id}`)).status).toBe(200);
  expect((await known.get('/me')).status).toBe(200);
  expect((await client.delete(`/api-keys/${revoked.id}`)).status).toBe(200);
  const successor = await client.post(`/api-keys/${rotated.id}/rotate`, { graceSeconds: 0 });
  expect(successor.status, successor.text).toBe(201);
  const report = { values: [leaked.key], source: 'a.scan' };
  expect((await client.post('/leaks', report)).body).toMatchObject([{ action: 'revoked' }]);
  // A report that revokes nothing may not use up what is left.
  const onlyReported = await client.post('/leaks', { values: [kept.key], source: 'a.scan' });
  expect([onlyReported.status, onlyReported.body.code]).toEqual([503, 'storage_full']);
  expect((await client.delete(`/access-keys/${accessKey.id}`)).status).toBe(200);
  expect((await client.delete(`/webhooks/${webhook.id}`)).status).toBe(200);
  expect((await client.delete(`/projects/${ofProject.projectId}`)).status).toBe(200);
  for (const key of [revoked, rotated, byPerson, ofProject])
    expect(await validate(key)).not.toBe(200);
  expect(await validate(kept)).toBe(200);
  expect(await validate(successor.body)).toBe(200);
  expect((await client.as(accessKey.key).get('/api-keys')).status).toBe(401);
  expect(disk.reserve.size).toBeLessThan(RESERVE_BYTES);

  // All others are refused, even if they would fit into what was freed.
  const refused = { statusCode: 503, code: 'storage_full' };
  for (const change of [
    () => client.post('/api-keys', { name: 'small', projectId: kept.projectId }),
    () => client.patch(`/api-keys/${kept.id}`, { name: 'other' }),
    () => client.post(`/api-keys/${kept.id}/rotate`, { graceSeconds: 60 }),
    () => client.patch(`/api-keys/${revoked.id}/reactivate`),
  ])
    expect((await change()).body).toMatchObject(refused);
  expect((await client.get('/readyz')).body).toMatchObject(refused);
  expect((await client.get('/readyz?for=validations')).status).toBe(200);

  // Space for the reserve alone is not enough: the disk would be full again at once.
  disk.image.free(RESERVE_BYTES);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(
    (await client.post('/api-keys', { name: 'small', projectId: kept.projectId })).body,
  ).toMatchObject(refused);

  disk.image.free();
  await expect.poll(() => disk.reserve.size).toBe(RESERVE_BYTES);
  await expect
    .poll(
      async () =>
        (await client.post('/api-keys', { name: 'again', projectId: kept.projectId })).status,
    )
    .toBe(201);
  await expect.poll(async () => (await client.get('/readyz')).status).toBe(200);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'after %s, a server starts on a full disk, validates and revokes',
  async (signal) => {
    const disk = new SmallDisk(`restart-${signal}`);
    await disk.start();
    const rateLimitConfigs = { rateLimit: 100, rateLimitTtl: 3_600 };
    const [one, two] = [
      await disk.made('/api-keys', { name: 'one', rateLimitConfigs }),
      await disk.made('/api-keys', { name: 'two' }),
    ];
    const validate = async ({ key }: { key: string }) =>
      (await disk.client.post('/api-keys/auth', { key })).status;
    expect(await validate(one)).toBe(200);
    await disk.fill();
    expect((await disk.client.delete(`/api-keys/${two.id}`)).status).toBe(200);
    await disk.server.end(signal);
    // A clean stop has removed the WAL.
    disk.image.fill();

    await disk.start();
    expect(await validate(one)).toBe(200);
    expect(await validate(two)).toBe(404);
    // Space in the WAL may have become free meanwhile.
    await disk.fill();
    await expect
      .poll(async () => (await disk.client.get('/readyz')).body)
      .toMatchObject({ code: 'storage_full' });
    expect((await disk.client.delete(`/api-keys/${one.id}`)).status).toBe(200);
    expect(await validate(one)).toBe(404);
    disk.image.free();
    await expect.poll(() => disk.reserve.size).toBe(RESERVE_BYTES);
    await expect
      .poll(async () => (await disk.client.post('/api-keys', { name: 'x' })).status)
      .toBe(201);
  },
);

it('the reserve is enough for a thousand revocations', async () => {
  const disk = new SmallDisk('many');
  await disk.start();
  const KEYS = scaled(15_000, 1_000);
  const ids: string[] = [];
  while (ids.length < KEYS) {
    const keys = Array.from({ length: 500 }, (_, n) => ({
      name: `key ${ids.length + n}`,
      key: `an-imported-value-${ids.length + n}`,
    }));
    const { status, body, text } = await disk.client.post('/api-keys/import', { keys });
    expect(status, text).toBe(200);
    ids.push(...body.results.map(({ id }: { id: string }) => id));
  }
  await disk.fill();
  let revoked = 0;
  for (const id of ids) {
    if ((await disk.client.delete(`/api-keys/${id}`)).status !== 200) break;
    revoked++;
  }
  const used = (RESERVE_BYTES - disk.reserve.size) >> 20;
  console.log(
    `${figure(revoked)} revocations used ${used} of ${RESERVE_BYTES >> 20} MB of the reserve`,
  );
  expect(revoked).toBeGreaterThanOrEqual(1_000);
});
