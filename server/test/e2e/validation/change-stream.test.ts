import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createIds } from '../../../src/kernel/ids.ts';
import type { StreamSink } from '../../../src/kernel/route.ts';
import { EventReader } from '../../harness/event-reader.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount } from '../other-account.ts';

const makeId = createIds();
let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const opened: EventReader[] = [];
afterEach(async () => {
  for (const reader of opened.splice(0)) await reader.close().catch(() => {});
});

async function stream(query = '', accessKey = test.accessKey, headers = {}): Promise<EventReader> {
  const reader = await EventReader.open(`${test.url}/changes${query}`, {
    'x-api-key': accessKey,
    ...headers,
  });
  opened.push(reader);
  return reader;
}
const createKey = async (body: object = {}, client = test.client) =>
  (await client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...body })).body;
/** Changes of keys that do not exist, with ids of the usual length. */
const keyChanges = (count: number, projectId = test.projectId) =>
  Array.from({ length: count }, () => {
    const id = makeId('key');
    return { kind: 'api-key' as const, id, hash: id, accountId: test.accountId, projectId };
  });
const accessKeyOf = async (body: object) =>
  (await test.client.post('/access-keys', { name: 'Of a stream', ...body })).body;

describe('a stream', () => {
  it('begins with a reset, and sends heartbeats', async () => {
    const reader = await stream();
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(reader.response.headers.get('cache-control')).toBe('no-store');
    const first = await reader.next();
    expect(first).toMatchObject({ event: 'reset', data: { beatMs: 250 } });
    const [one, two] = [await reader.next(), await reader.next()];
    expect([one?.event, two?.event]).toEqual(['beat', 'beat']);
    expect(one!.data.at).toBeGreaterThanOrEqual(first!.data.at);
    expect(two!.data.at).toBeGreaterThan(one!.data.at);
  });

  it('names created, changed, revoked, reactivated and erased keys, and none of their data', async () => {
    const reader = await stream();
    await reader.next();
    const changes: unknown[] = [];
    const { id, key } = await createKey({ customUserId: 'user-of-the-key' });
    await test.client.patch(`/api-keys/${id}`, { name: 'New' });
    await test.client.delete(`/api-keys/${id}`);
    await test.client.patch(`/api-keys/${id}/reactivate`);
    await test.client.delete(`/api-keys/${id}?permanent=true`);
    for (let n = 0; n < 5; n++) changes.push(await reader.nextChange());
    for (const each of changes)
      expect(each).toMatchObject({ event: 'change', data: { keyId: id } });
    expect(JSON.stringify(changes)).not.toMatch(new RegExp(`${key}|user-of-the-key|hash`));
  });

  it('names a project if all of its keys are affected', async () => {
    const { body: project } = await test.client.post('/projects', { name: 'Deleted' });
    const reader = await stream();
    await reader.next();
    await test.client.delete(`/projects/${project.id}`);
    expect(await reader.nextChange()).toMatchObject({ data: { projectId: project.id } });
  });

  it('names a changed plan or customer, with the project for clients that know neither', async () => {
    const { projectId } = test;
    const { key } = await accessKeyOf({ projectId });
    const { body: plan } = await test.client.post('/plans', { name: 'Plan', projectId });
    const reader = await stream('', key);
    await reader.next();
    await test.client.patch(`/plans/${plan.id}`, { name: 'Changed' });
    expect((await reader.nextChange())!.data).toEqual({ planId: plan.id, projectId });
    // A change of the project itself would end the stream of a project-level access key.
    const customAccountId = 'customer of a stream';
    const { body } = await test.client.post('/customers', { customAccountId, projectId });
    const created = await reader.nextChange();
    expect(created!.data).toEqual({ customer: expect.stringMatching(/^cst_/), projectId });
    expect(JSON.stringify(created)).not.toContain(customAccountId);
    await test.client.patch(`/customers/${body.id}`, { name: 'Changes nothing of its keys' });
    await test.client.patch(`/customers/${body.id}`, { permissions: ['a'] });
    await test.client.delete(`/customers/${body.id}`);
    expect((await reader.nextChange())!.data).toEqual(created!.data);
    expect((await reader.nextChange())!.data).toEqual(created!.data);
    const made = await createKey();
    expect((await reader.nextChange())!.data).toEqual({ keyId: made.id });
  });

  it('receives all changes of a large import, which are made at once', async () => {
    const { body: otherProject } = await test.client.post('/projects', { name: 'Not imported to' });
    const { key } = await accessKeyOf({ projectId: otherProject.id });
    const [whole, ofProject] = [await stream(), await stream('', key)];
    await Promise.all([whole.next(), ofProject.next()]);
    const changes = [...keyChanges(999), ...keyChanges(1, otherProject.id)];
    test.app.bus.publish(changes);
    const ids = changes.map(({ id }) => id);
    for (const keyId of ids) expect((await whole.nextChange())?.data).toEqual({ keyId });
    expect((await ofProject.nextChange())?.data).toEqual({ keyId: ids.at(-1) });
    // At a heartbeat, clients that do not read are disconnected.
    expect((await whole.next())?.event).toBe('beat');
    const { id } = await createKey();
    expect((await whole.nextChange())?.data).toEqual({ keyId: id });
  });

  it('does not count as a request in flight', async () => {
    const before = test.app.overload.inFlight;
    await (await stream()).next();
    expect(test.app.overload.inFlight).toBe(before);
    expect(test.log.join('')).not.toContain('"err"');
  });
});

describe('visible changes', () => {
  it('are never another account’s, and with a project-level access key only those of its project', async () => {
    const theirs = await createOtherAccount(test);
    const { body: otherProject } = await test.client.post('/projects', { name: 'Other project' });
    const { key: otherProjectKey } = await accessKeyOf({ projectId: otherProject.id });
    const [whole, ofProject] = [await stream(), await stream('', otherProjectKey)];
    const started = [await whole.next(), await ofProject.next()];
    const foreign = await createKey({ projectId: theirs.projectId }, theirs.client);
    const mine = await createKey();
    const inOtherProject = await createKey({ projectId: otherProject.id });
    const changes = [
      await whole.nextChange(),
      await whole.nextChange(),
      await ofProject.nextChange(),
    ];
    expect(changes.map((each) => each!.data.keyId)).toEqual([
      mine.id,
      inOtherProject.id,
      inOtherProject.id,
    ]);
    // The position counts only changes that this account received, so it shows nothing of others.
    const position = (id: string | null) => Number(id!.split('.')[1]);
    expect(position(changes[1]!.id) - position(started[0]!.id)).toBe(2);
    expect(JSON.stringify(changes)).not.toContain(foreign.id);
  });
});

describe('a client that reconnects', () => {
  it('gets missed changes, none of them twice', async () => {
    const reader = await stream();
    const { id: start } = (await reader.next())!;
    const first = await createKey();
    const { id: cursor } = (await reader.nextChange())!;
    await reader.close();
    const [second, third] = [await createKey(), await createKey()];
    for (const [query, headers, missed] of [
      [`?cursor=${cursor}`, {}, [second.id, third.id]],
      ['', { 'last-event-id': cursor }, [second.id, third.id]],
      [`?cursor=${start}`, {}, [first.id, second.id, third.id]],
    ] as const) {
      const again = await stream(query, test.accessKey, headers);
      for (const keyId of missed)
        expect(await again.next()).toMatchObject({ event: 'change', data: { keyId } });
      expect((await again.next())!.event).toBe('resumed');
    }
  });

  it('gets 900 missed changes', async () => {
    const reader = await stream();
    const { id: cursor } = (await reader.next())!;
    await reader.close();
    const changes = keyChanges(900);
    test.app.bus.publish(changes);
    const again = await stream(`?cursor=${cursor}`);
    for (const { id: keyId } of changes) expect((await again.next())?.data).toEqual({ keyId });
    expect((await again.next())?.event).toBe('resumed');
  });

  it('gets a reset if changes may be missing', async () => {
    const reader = await stream();
    const { id: cursor } = (await reader.next())!;
    const [name, position] = cursor!.split('.');
    for (const unknownCursor of ['unknown.1', `${name}.${Number(position) + 1}`, name, 'x'])
      expect((await (await stream(`?cursor=${unknownCursor}`)).next())!.event).toBe('reset');
    const other = await startTestApp();
    const elsewhere = await EventReader.open(`${other.url}/changes?cursor=${cursor}`, {
      'x-api-key': other.accessKey,
    });
    expect((await elsewhere.next())!.event).toBe('reset');
    await elsewhere.close();
    await other.close();
  });

  it('can also poll for missed changes', async () => {
    const reader = await stream('?maxSeconds=0');
    const { event, id } = (await reader.next())!;
    expect(event).toBe('reset');
    expect(await reader.next()).toMatchObject({
      event: 'end',
      data: { reason: 'duration_reached' },
    });
    expect(await reader.next()).toBeNull();
    const { id: keyId } = await createKey();
    const again = await stream(`?maxSeconds=0&cursor=${id}`);
    expect(await again.next()).toMatchObject({ data: { keyId } });
    expect((await again.next())!.event).toBe('resumed');
  });
});

describe('the end of a stream', () => {
  const endOf = async (reader: EventReader) => {
    let last = await reader.nextChange();
    for (let next = last; next !== null; next = await reader.nextChange()) last = next;
    return last;
  };

  it('comes when the access key is revoked, and the client cannot reconnect', async () => {
    const { id, key } = await accessKeyOf({ scopes: ['keys:validate'] });
    const reader = await stream('', key);
    await test.client.delete(`/access-keys/${id}`);
    expect(await endOf(reader)).toMatchObject({ data: { reason: 'access_key_changed' } });
    expect((await stream('', key)).response.status).toBe(401);
  });

  it('comes when the access key expires', async () => {
    const expiry = new Date(test.clock.now + 1_000).toISOString();
    const { key } = await accessKeyOf({ expiry });
    const reader = await stream('', key);
    test.clock.now += 1_000;
    expect(await endOf(reader)).toMatchObject({ data: { reason: 'access_key_changed' } });
  });

  it('comes when the project of the access key is deactivated', async () => {
    const { body: project } = await test.client.post('/projects', { name: 'Ending' });
    const { key } = await accessKeyOf({ projectId: project.id });
    const reader = await stream('', key);
    await test.client.delete(`/projects/${project.id}`);
    expect(await endOf(reader)).toMatchObject({ data: { reason: 'access_key_changed' } });
  });

  it('comes immediately when the node stops, and no new stream starts', async () => {
    const other = await startTestApp();
    const headers = { 'x-api-key': other.accessKey };
    const reader = await EventReader.open(`${other.url}/changes`, headers);
    other.app.changeStreams.stop();
    expect(await endOf(reader)).toMatchObject({ data: { reason: 'shutting_down' } });
    expect((await EventReader.open(`${other.url}/changes`, headers)).response.status).toBe(503);
    await other.close();
  });

  it('comes for a client that does not read', async () => {
    const { port } = new URL(test.url);
    const before = test.app.changeStreams.open;
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write(`GET /changes HTTP/1.1\r\nhost: x\r\nx-api-key: ${test.accessKey}\r\n\r\n`);
    const until = async (condition: () => boolean) => {
      while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    await until(() => test.app.changeStreams.open > before);
    const id = 'x'.repeat(50_000);
    // More than the kernel buffers on both sides.
    for (let n = 0; n < 400 && test.app.changeStreams.open > before; n++) {
      test.app.bus.publish([{ kind: 'project', id, accountId: test.accountId }]);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await until(() => test.app.changeStreams.open === before);
    socket.destroy();
  });

  it('comes at the fourth heartbeat in a row with more than 64 KB unread', async () => {
    // One heartbeat without unread data starts the count again.
    const unread = [70_000, 70_000, 70_000, 0, 70_000, 70_000, 70_000, 70_000];
    const destroyed = Promise.withResolvers<void>();
    let beats = 0;
    const close = holdStreams(test.accountId, 1, {
      write: (text) => void (text.includes('event: beat') && beats++),
      destroy: () => destroyed.resolve(),
      get unreadBytes() {
        return unread[beats] ?? 0;
      },
    });
    await destroyed.promise;
    expect(beats).toBe(7);
    close();
  });
});

/** Streams without connections, which would take many seconds to open. Returns a function that closes them. */
function holdStreams(accountId: string, count: number, own: Partial<StreamSink> = {}): () => void {
  const closers: (() => void)[] = [];
  const accessKey = { id: '', accountId, projectId: null, readAt: 0, refusal: () => null };
  const sink: StreamSink = {
    write: own.write ?? (() => {}),
    end: () => {},
    destroy: own.destroy ?? (() => {}),
    onClose: (close: () => void) => void closers.push(close),
    get unreadBytes() {
      return own.unreadBytes ?? 0;
    },
  };
  for (let n = 0; n < count; n++)
    test.app.changeStreams.start(accessKey as never, sink, undefined, 3_600_000);
  return () => {
    for (const close of closers) close();
  };
}

describe('an account', () => {
  it('has at most 2,000 streams, whichever access keys open them', async () => {
    const { accountId, accessKey, client } = await createOtherAccount(test);
    const second = (await client.post('/access-keys', { name: 'Second' })).body.key;
    const closeOthers = holdStreams(accountId, 1_998);
    for (const each of [accessKey, second])
      expect((await stream('', each)).response.status).toBe(200);
    const headers = { 'x-api-key': second };
    const refused = await fetch(`${test.url}/changes`, { headers });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.text()).toContain('too_many_streams');
    expect((await stream()).response.status).toBe(200);
    closeOthers();
    expect((await stream('', second)).response.status).toBe(200);
  });
});
