import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGithubKeys } from '../../../src/features/leaks/index.ts';
import { generateValue } from '../../../src/kernel/secrets/key-values.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount } from '../other-account.ts';
import { rawDatabase } from '../raw-database.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY_ID = 'a key of the tests';

const folder = mkdtempSync(join(tmpdir(), 'keyward-leaks-'));
const keysFile = join(folder, 'keys.json');
let test: TestApp;
beforeAll(async () => {
  const key = publicKey.export({ type: 'spki', format: 'pem' });
  writeFileSync(keysFile, JSON.stringify({ public_keys: [{ key_identifier: KEY_ID, key }] }));
  test = await startTestApp({ readGithubKeys: () => readGithubKeys(keysFile) });
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

/** Every value that was reported; the last test looks for them. */
const reportedValues = new Set<string>();

const createProject = async (onLeak: 'notify' | 'revoke', client = test.client) =>
  (await client.post('/projects', { name: 'Leaks', onLeak })).body;
const createKey = async (projectId: string, body: object = {}, client = test.client) =>
  (await client.post('/api-keys', { name: 'Leaky', projectId, ...body })).body;
const createHook = async (projectId: string | null, topics: string[]) =>
  (
    await test.client.post('/webhooks', {
      name: 'Leaks',
      url: 'https://example.com/hook',
      projectId,
      topics,
    })
  ).body.id;
const report = (values: string[], place: object = {}, client = test.client) => {
  for (const value of values) reportedValues.add(value);
  return client.post('/leaks', { values, source: 'a test', ...place });
};
const eventsOf = async (hook: string) => {
  const { body } = await test.client.get(`/webhooks/${hook}/deliveries`);
  return body as { id: string; topic: string }[];
};
const bodyOf = async (hook: string, delivery: string) =>
  (await test.client.get(`/webhooks/${hook}/deliveries/${delivery}`)).body;
const auditOf = async (target: string) =>
  (await test.client.get(`/audit-logs?target=${target}`)).body.map(
    ({ action }: { action: string }) => action,
  );
const isActive = async (id: string) => (await test.client.get(`/api-keys/${id}`)).body.isActive;

describe('onLeak', () => {
  it('defaults to notify, and can be changed', async () => {
    const { body } = await test.client.post('/projects', { name: 'New' });
    expect(body.onLeak).toBe('notify');
    const changed = await test.client.patch(`/projects/${body.id}`, { onLeak: 'revoke' });
    expect(changed.body.onLeak).toBe('revoke');
    expect((await test.client.get(`/projects/${body.id}`)).body.onLeak).toBe('revoke');
    const renamed = await test.client.patch(`/projects/${body.id}`, { name: 'Newer' });
    expect(renamed.body.onLeak).toBe('revoke');
    expect((await test.client.patch(`/projects/${body.id}`, { onLeak: 'erase' })).status).toBe(400);
  });
});

describe('a reported value', () => {
  it('sends an event, and keeps the key active', async () => {
    const { id: projectId } = await createProject('notify');
    const hook = await createHook(projectId, ['api-key.leaked', 'api-key.deleted']);
    const { id, key } = await createKey(projectId);
    const url = 'https://paste.example/42';
    const { status, body } = await report([key], { url });
    expect([status, body]).toEqual([200, [{ keyId: id, action: 'notified' }]]);
    expect(await isActive(id)).toBe(true);
    const deliveries = await eventsOf(hook);
    expect(deliveries.map(({ topic }) => topic)).toEqual(['api-key.leaked']);
    const delivery = await bodyOf(hook, deliveries[0]!.id);
    const leak = { source: 'a test', url, action: 'notified' };
    expect(JSON.stringify(delivery)).toContain(id);
    expect(delivery.payload.data).toMatchObject({
      id,
      ...leak,
    });
    expect(await auditOf(id)).toContain('api-key.leaked');
    const listed = (await test.client.get(`/leaks?key=${id}`)).body;
    expect(listed).toMatchObject([
      { keyId: id, name: 'Leaky', isActive: true, projectId, reports: 1, ...leak },
    ]);
  });

  it('is revoked at once if the project says so', async () => {
    const { id: projectId } = await createProject('revoke');
    const hook = await createHook(projectId, ['api-key.leaked', 'api-key.deleted']);
    const { id, key } = await createKey(projectId);
    expect((await test.client.post('/api-keys/auth', { key })).status).toBe(200);
    expect((await report([key])).body).toEqual([{ keyId: id, action: 'revoked' }]);
    expect((await test.client.post('/api-keys/auth', { key })).body.code).toBe('key_revoked');
    const topics = (await eventsOf(hook)).map(({ topic }) => topic);
    expect(topics.toSorted()).toEqual(['api-key.deleted', 'api-key.leaked']);
    expect(await auditOf(id)).toEqual(
      expect.arrayContaining(['api-key.deleted', 'api-key.leaked']),
    );
  });

  it('sends one event per source and URL, however often reported', async () => {
    const { id: projectId } = await createProject('notify');
    const hook = await createHook(projectId, ['api-key.leaked']);
    const { id, key } = await createKey(projectId);
    const twice = await report([key, key]);
    expect(twice.body).toEqual(Array(2).fill({ keyId: id, action: 'notified' }));
    await Promise.all(Array.from({ length: 5 }, () => report([key])));
    expect(await eventsOf(hook)).toHaveLength(1);
    expect((await test.client.get(`/leaks?key=${id}`)).body).toMatchObject([{ reports: 6 }]);
    expect((await test.client.get('/leaks?key=%00')).body).toEqual([]);
    await report([key], { url: 'https://elsewhere.example/' });
    expect(await eventsOf(hook)).toHaveLength(2);

    await test.client.patch(`/projects/${projectId}`, { onLeak: 'revoke' });
    expect((await report([key])).body).toEqual([{ keyId: id, action: 'revoked' }]);
    expect(await isActive(id)).toBe(false);
    expect(await eventsOf(hook)).toHaveLength(3);
    await report([key]);
    expect(await eventsOf(hook)).toHaveLength(3);
  });

  it('that repeats one character takes little time and memory', async () => {
    const values = Array(100).fill('*');
    const url = 'https://example.com/*';
    const { status, body } = await test.client.post('/leaks', { values, source: '*', url });
    expect([status, body]).toEqual([200, values.map(() => ({ keyId: null, action: 'unknown' }))]);
  });

  it('of an access key is found too, and revoked in its project', async () => {
    const { id: projectId } = await createProject('revoke');
    const { body: ofProject } = await test.client.post('/access-keys', { name: 'P', projectId });
    const { body: ofAccount } = await test.client.post('/access-keys', { name: 'A' });
    const hook = await createHook(null, ['api-key.leaked']);
    const { body } = await report([ofProject.key, ofAccount.key]);
    expect(body).toEqual([
      { keyId: ofProject.id, action: 'revoked' },
      { keyId: ofAccount.id, action: 'notified' },
    ]);
    expect((await test.client.as(ofProject.key).get('/projects')).body.code).toBe(
      'credential_revoked',
    );
    expect((await test.client.as(ofAccount.key).get('/projects')).status).toBe(200);
    expect(await eventsOf(hook)).toHaveLength(2);
    expect(await auditOf(ofAccount.id)).toContain('access-key.leaked');
    const { body: reader } = await test.client.post('/access-keys', {
      name: 'Reader',
      scopes: ['keys:read'],
    });
    const { body: seen } = await test.client.as(reader.key).get('/leaks');
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter(({ keyId }: { keyId: string }) => keyId.startsWith('ak_'))).toEqual([]);
  });

  it('is not active any more when it has expired', async () => {
    const { id: projectId } = await createProject('notify');
    const expiry = new Date(test.clock.now + 60_000).toISOString();
    const [expiring, lasting] = [
      await createKey(projectId, { expiry }),
      await createKey(projectId),
    ];
    const { body: access } = await test.client.post('/access-keys', {
      name: 'Leaky',
      projectId,
      expiry,
    });
    await report([expiring.key, lasting.key, access.key]);
    const listed = async (filter: string) =>
      (await test.client.get(`/leaks?projectId=${projectId}${filter}`)).body
        .map(({ keyId, isActive }: { keyId: string; isActive: boolean }) => [keyId, isActive])
        .sort();
    const all = [expiring.id, lasting.id, access.id];
    expect(await listed('')).toEqual(all.map((id) => [id, true]).sort());
    test.clock.now += 60_000;
    expect(await listed('&isActive=true')).toEqual([[lasting.id, true]]);
    expect(await listed('&isActive=false')).toEqual(
      [expiring.id, access.id].map((id) => [id, false]).sort(),
    );
  });

  it('is found if custom, imported or prefixed', async () => {
    const { id: projectId } = await createProject('notify');
    await test.client.patch(`/projects/${projectId}`, { keyPrefix: 'acme_live_' });
    const own = await createKey(projectId, { key: 'a-value-of-our-own' });
    const prefixed = await createKey(projectId);
    const { body } = await report([own.key, prefixed.key, 'nobody-has-this-one', '%%%']);
    expect(body).toEqual([
      { keyId: own.id, action: 'notified' },
      { keyId: prefixed.id, action: 'notified' },
      { keyId: null, action: 'unknown' },
      { keyId: null, action: 'unknown' },
    ]);
  });

  it('of another account is unknown, and nothing happens to it', async () => {
    const theirs = await createOtherAccount(test);
    await theirs.client.patch(`/projects/${theirs.projectId}`, { onLeak: 'revoke' });
    const key = await createKey(theirs.projectId, {}, theirs.client);
    expect((await report([key.key])).body).toEqual([{ keyId: null, action: 'unknown' }]);
    const { body } = await theirs.client.get(`/api-keys/${key.id}`);
    expect(body.isActive).toBe(true);
  });

  it('in the URL or the source is masked', async () => {
    const { id: projectId } = await createProject('notify');
    const { id, key } = await createKey(projectId);
    const encoded = key.replaceAll('_', '%5F');
    await report([key], { source: `found ${key}`, url: `https://x.example/?k=${encoded}` });
    const [leak] = (await test.client.get(`/leaks?key=${id}`)).body;
    expect(leak.url).toMatch(/^https:\/\/x\.example\/\?k=live_/);
    expect(JSON.stringify(leak)).not.toContain(key.slice(12, 40));
  });

  it.each([
    ['no values', { values: [] }],
    ['too many values', { values: Array(101).fill('x-value-of-a-test') }],
    ['no source', { source: '' }],
    ['an address that is no URL', { url: 'somewhere' }],
    ['an address of another kind', { url: 'javascript:alert(1)' }],
    ['an unknown field', { action: 'revoke' }],
  ])('with %s is a 400', async (_what, wrong) => {
    const right = { values: ['x-value-of-a-test'], source: 'a test' };
    expect((await test.client.post('/leaks', { ...right, ...wrong })).status).toBe(400);
  });
});

describe('the message of GitHub', () => {
  const sign = (text: string) => createSign('sha256').update(text).sign(privateKey, 'base64');
  const send = (text: string, headers: Record<string, string>) =>
    fetch(`${test.url}/leaks/github`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: text,
    });
  const signed = (message: object, { bytes = 0 } = {}) => {
    const text = JSON.stringify(message, null, 1).padEnd(bytes);
    return send(text, {
      'Github-Public-Key-Identifier': KEY_ID,
      'Github-Public-Key-Signature': sign(text),
    });
  };

  it('finds keys of all accounts, and responds by hash', async () => {
    const theirs = await createOtherAccount(test);
    await theirs.client.patch(`/projects/${theirs.projectId}`, { onLeak: 'revoke' });
    const key = await createKey(theirs.projectId, {}, theirs.client);
    const own = await createKey(theirs.projectId, { key: 'own-value-in-github' }, theirs.client);
    const { body: access } = await test.client.post('/access-keys', { name: 'On GitHub' });
    const unknown = generateValue('live_');
    const tokens = [key.key, access.key, unknown, own.key];
    for (const token of tokens) reportedValues.add(token);
    const url = 'https://github.com/octocat/hello/blob/main/a.txt';
    const answer = await signed(
      tokens.map((token) => ({ token, type: 'keyward_key', url, source: 'content', more: 1 })),
    );
    expect(answer.status).toBe(200);
    const labels = ['true_positive', 'true_positive', 'false_positive', 'false_positive'];
    expect(await answer.json()).toEqual(
      tokens.map((token, n) => ({
        token_hash: createHash('sha256').update(token).digest('hex'),
        token_type: 'keyward_key',
        label: labels[n],
      })),
    );
    expect((await theirs.client.get(`/api-keys/${key.id}`)).body.isActive).toBe(false);
    expect((await theirs.client.get('/leaks')).body).toMatchObject([
      { keyId: key.id, source: 'github.content', url, action: 'revoked' },
    ]);
    const [row] = (await theirs.client.get(`/audit-logs?target=${key.id}&action=api-key.leaked`))
      .body;
    expect(row).toMatchObject({ actorType: 'system', actorId: 'system' });
    expect((await theirs.client.get(`/leaks?key=${own.id}`)).body).toEqual([]);
  });

  /** A message of which only the headers have arrived, with a signature that has the right form. */
  function begun(headers: Record<string, string> = {}) {
    const socket = connect(Number(new URL(test.url).port), '127.0.0.1');
    const received = { text: '', socket };
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      received.text += piece;
    });
    const all = {
      ...{ host: 'x', 'content-type': 'application/json', 'content-length': '1000000' },
      'github-public-key-identifier': KEY_ID,
      'github-public-key-signature': sign('something else'),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /leaks/github HTTP/1.1\r\n${lines.join('')}\r\n`);
    return received;
  }

  /** The server accepts connections in order. When it answers a new one, all earlier ones wait or are being read. */
  async function allAccepted(): Promise<void> {
    const last = begun({ 'github-public-key-identifier': 'x' });
    await expect.poll(() => last.text).toContain(' 401 ');
    last.socket.destroy();
  }

  it.each([
    ['an unknown key', { 'github-public-key-identifier': 'x' }],
    ['no key', { 'github-public-key-identifier': '' }],
    ['no signature', { 'github-public-key-signature': '' }],
    ['something that is no signature', { 'github-public-key-signature': 'AAAA' }],
    ['too long a signature', { 'github-public-key-signature': `M${'A'.repeat(200)}` }],
  ])('with %s is refused before its body is read', async (_what, headers) => {
    const message = begun(headers);
    await expect.poll(() => message.text).toContain(' 401 ');
    message.socket.destroy();
  });

  const LARGE = { bytes: 64 * 1024 + 1 };

  it('waits if it is large while two others are being read, each for at most 5 seconds', async () => {
    const startedAt = performance.now();
    const slow = [begun(), begun()];
    await allAccepted();
    const waiting = signed([{ token: 'nothing', type: 't' }], LARGE);
    expect((await waiting).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThan(4_900);
    const late = slow.filter(({ text }) => text.includes(' 408 '));
    expect(late.length).toBeGreaterThan(0);
    for (const { socket } of slow) socket.destroy();
  });

  it('does not wait for others that have disconnected', async () => {
    const gone = [begun(), begun(), begun()];
    await allAccepted();
    for (const { socket } of gone) socket.destroy();
    expect((await signed([{ token: 'nothing', type: 't' }], LARGE)).status).toBe(200);
  });

  it('does not wait for slow ones if it is at most 64 KB', async () => {
    const strangers = Array.from({ length: 12 }, () => begun());
    await allAccepted();
    const smaller = Array.from({ length: 3 }, () => begun({ 'content-length': '1000' }));
    await allAccepted();
    expect((await signed([{ token: 'nothing', type: 't' }], { bytes: 64 * 1024 })).status).toBe(
      200,
    );
    expect([...strangers, ...smaller].filter(({ text }) => text !== '')).toEqual([]);
    for (const { socket } of [...strangers, ...smaller]) socket.destroy();
  });

  it('is refused if it is large while ten others of its network wait', async () => {
    const others = Array.from({ length: 12 }, () => begun());
    await allAccepted();
    const answer = await signed([{ token: 'nothing', type: 't' }], LARGE);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
    for (const { socket } of others) socket.destroy();
    await expect.poll(async () => (await signed([], LARGE)).status).toBe(200);
  });

  it('is answered without acting again when it arrives again within 24 hours', async () => {
    const { id: projectId } = await createProject('revoke');
    const { id, key } = await createKey(projectId);
    reportedValues.add(key);
    const message = [
      { token: generateValue('live_'), type: 't', url: 'https://github.com/a/b', source: 'commit' },
      { token: key, type: 't', url: 'https://github.com/a/b', source: 'commit' },
    ];
    const [first, twin] = await Promise.all([signed(message), signed(message)]);
    const feedback = await first.json();
    expect(feedback).toMatchObject([{ label: 'false_positive' }, { label: 'true_positive' }]);
    expect(await twin.json()).toEqual(feedback);
    expect(await isActive(id)).toBe(false);
    const reactivate = () => test.client.patch(`/api-keys/${id}/reactivate`);
    const reports = async () =>
      (await test.client.get(`/leaks?key=${id}`)).body.map(
        (leak: { reports: number }) => leak.reports,
      );

    expect((await reactivate()).status).toBe(200);
    expect(await (await signed(message)).json()).toEqual(feedback);
    expect([await isActive(id), await reports()]).toEqual([true, [1]]);
    test.clock.now += 24 * 3_600_000 - 1;
    expect(await (await signed(message)).json()).toEqual(feedback);
    expect([await isActive(id), await reports()]).toEqual([true, [1]]);
    // Then it is a new report.
    test.clock.now += 1;
    expect(await (await signed(message)).json()).toEqual(feedback);
    expect([await isActive(id), await reports()]).toEqual([false, [2]]);
    await reactivate();
    await signed(message);
    expect([await isActive(id), await reports()]).toEqual([true, [2]]);
  });

  it('with a forged signature is rejected, and nothing happens', async () => {
    const { id: projectId } = await createProject('revoke');
    const { id, key } = await createKey(projectId);
    reportedValues.add(key);
    const text = JSON.stringify([{ token: key, type: 't', url: '', source: 'commit' }]);
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const right = { 'Github-Public-Key-Identifier': KEY_ID };
    const forgeries: Record<string, string>[] = [
      {},
      right,
      { ...right, 'Github-Public-Key-Signature': 'AAAA' },
      { ...right, 'Github-Public-Key-Signature': sign(`${text} `) },
      {
        ...right,
        'Github-Public-Key-Signature': createSign('sha256').update(text).sign(other, 'base64'),
      },
      { 'Github-Public-Key-Identifier': 'x', 'Github-Public-Key-Signature': sign(text) },
    ];
    for (const headers of forgeries) {
      const answer = await send(text, headers);
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ code: 'signature_invalid' });
      // Checked before the body is parsed, which takes long if it is large.
      expect(await (await send('{', headers)).json()).toMatchObject({ code: 'signature_invalid' });
    }
    expect(await isActive(id)).toBe(true);
    expect((await test.client.get(`/leaks?key=${id}`)).body).toEqual([]);
  });

  it('of another form is a 400, however it is signed', async () => {
    for (const message of [{}, [{ token: 1, type: 'a' }], [{}]])
      expect((await signed(message)).status).toBe(400);
  });

  it('is verified like the example in the documentation of GitHub', async () => {
    const text =
      '[{"token":"some_token","type":"some_type","url":"some_url","source":"some_source"}]';
    const id = 'f9525bf080f75b3506ca1ead061add62b8633a346606dc5fe544e29231c6ee0d';
    const key =
      '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEsz9ugWDj5jK5ELBK42ynytbo38gP\nHzZFI03Exwz8Lh/tCfL3YxwMdLjB+bMznsanlhK0RwcGP3IDb34kQDIo3Q==\n-----END PUBLIC KEY-----\n';
    // The file is read with every message: GitHub changes its keys.
    const file = { public_keys: [{ key_identifier: id, key, is_current: true }] };
    writeFileSync(keysFile, JSON.stringify(file));
    const answer = await send(text, {
      'GITHUB-PUBLIC-KEY-IDENTIFIER': id,
      'GITHUB-PUBLIC-KEY-SIGNATURE':
        'MEUCIFLZzeK++IhS+y276SRk2Pe5LfDrfvTXu6iwKKcFGCrvAiEAhHN2kDOhy2I6eGkOFmxNkOJ+L2y8oQ9A2T9GGJo6WJY=',
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject([
      { token_type: 'some_type', label: 'false_positive' },
    ]);
  });
});

it('no reported value is in the database or the log', async () => {
  expect(reportedValues.size).toBeGreaterThan(10);
  const stored = (await rawDatabase(test)).toString('latin1') + test.log.join('\n');
  expect(stored).toContain('github.content');
  for (const value of reportedValues)
    if (value !== '%%%') expect(stored.includes(value), value).toBe(false);
});
