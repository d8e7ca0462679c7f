import { once } from 'node:events';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCluster } from '../../../src/app/composition/cluster.ts';
import { RedisCounters } from '../../../src/cluster/counters/redis.ts';
import { deriveSecrets } from '../../../src/kernel/secrets/crypto.ts';
import { sendOnce, TestRedis } from '../../harness/redis/redis.ts';
import { TEST_ROOT_SECRET } from '../../harness/test-app.ts';
import { openTestStorage } from '../../harness/test-storage.ts';
import { selfSigned } from '../../sending/guard-certificate.ts';

const PASSWORD = 'p@ss:wörd/?#%';
const HOUR_MS = 3_600_000;

let redis: TestRedis;
const undo: (() => unknown)[] = [];
beforeAll(async () => {
  redis = await TestRedis.start();
  const onlyWhatIsUsed = ['+evalsha', '+eval', '+script|load', '+ping', '+del', '+client|setname'];
  const inScripts = ['+time', '+hmget', '+del', '+hset', '+pexpireat', '+hincrby', '+hlen'];
  const rights = [...onlyWhatIsUsed, ...inScripts, '+hget', '+hdel', '+select'];
  const rules = ['on', `>${PASSWORD}`, '~test:*', ...rights];
  await redis.command('ACL', 'SETUSER', 'counter', 'reset', ...rules);
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
afterAll(() => redis.dispose());

/** Resolves when the first attempt to connect has ended. */
async function open(url: string) {
  const causes: string[] = [];
  const counters = new RedisCounters({
    url,
    prefix: 'test:connection',
    timeoutMs: 5_000,
    nodes: () => 1,
    clock: Date.now,
    onUnavailable: (cause) => causes.push(cause),
    onRestored: () => {},
    onFailover: () => {},
  });
  undo.push(() => counters.stop());
  await counters.start();
  return { counters, causes };
}

async function expectWorks(url: string): Promise<void> {
  const { counters, causes } = await open(url);
  expect(causes).toEqual([]);
  const taken = await counters.take(crypto.randomUUID(), 1, HOUR_MS, Date.now());
  expect([taken.allowed, counters.localChecks]).toEqual([true, 0]);
}

async function causeOf(url: string): Promise<string> {
  const { counters, causes } = await open(url);
  expect(counters.isShared).toBe(false);
  expect(causes).toHaveLength(1);
  return causes[0]!;
}

const withCredentials = (user: string, password: string, rest = ''): string =>
  `redis://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${redis.port}${rest}`;

it('sets its client name', async () => {
  await expectWorks(redis.url);
  expect(await redis.command('CLIENT', 'LIST')).toMatch(/ name=keyward /);
});

describe('credentials', () => {
  it('of a user with few rights work, with any characters in the password and in any database', async () => {
    await expectWorks(withCredentials('counter', PASSWORD, '/3'));
    expect(await redis.command('CLIENT', 'LIST')).toMatch(/ db=3 .* user=counter /);
  });

  it('with a wrong password are reported without the password', async () => {
    const cause = await causeOf(withCredentials('counter', 'not-the-password'));
    expect(cause).toMatch(/^WRONGPASS/);
    expect(cause).not.toContain('not-the-password');
  });

  it('may be a password without a user, and are reported if they are missing', async () => {
    await redis.command('CONFIG', 'SET', 'requirepass', 'secret');
    undo.push(async () => {
      await sendOnce(withCredentials('', 'secret'), ['CONFIG', 'SET', 'requirepass', '']);
    });
    await expectWorks(withCredentials('', 'secret'));
    expect(await causeOf(redis.url)).toMatch(/NOAUTH/);
  });
});

describe('with TLS', () => {
  const pair = selfSigned({ dns: 'localhost' });
  let port: number;
  beforeAll(async () => {
    const server = createServer(pair, (near) => {
      const far = connect(redis.port, '127.0.0.1');
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) socket.on('error', () => {});
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    return () => server.close();
  });

  it('accepts a trusted certificate for the requested name only', async () => {
    expect(await causeOf(`rediss://localhost:${port}`)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, pair.cert]);
    undo.push(() => setDefaultCACertificates(before));
    await expectWorks(`rediss://localhost:${port}`);
    expect(await causeOf(`rediss://127.0.0.1:${port}`)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });
});

describe('the cause is reported for a server', () => {
  it('that refuses connections', async () => {
    const gone = await TestRedis.start();
    await gone.dispose();
    expect(await causeOf(gone.url)).toBe('ECONNREFUSED');
  });

  it('that is not Redis', async () => {
    const server = createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    undo.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    expect(await causeOf(`redis://127.0.0.1:${port}`)).toMatch(/^Protocol error, got "H"/);
  });

  it('that is not part of a Cluster, though several addresses are given', async () => {
    const cause = await causeOf(`redis://127.0.0.1:${redis.port},127.0.0.1:${redis.port}`);
    expect(cause).toMatch(/cluster support disabled/);
  });
});

describe('a Redis that stores nothing on disk', () => {
  const warnings: string[] = [];
  const log = { warn: (message: string) => warnings.push(message), info: () => {} };

  /** What a node with this Redis warns of when it starts. */
  async function warningsOf(url: string): Promise<string[]> {
    warnings.length = 0;
    const { storage, dispose } = await openTestStorage();
    undo.push(dispose);
    const secrets = deriveSecrets(TEST_ROOT_SECRET);
    const cluster = buildCluster(
      { redisUrl: url, redisTimeoutMs: 5_000, limitsPerNode: false, staleSeconds: 0 },
      { storage, secrets, clock: Date.now, log: log as never },
    );
    undo.push(() => cluster.stop());
    await cluster.start();
    return [...warnings];
  }

  it('is warned of when the node starts', async () => {
    expect(await warningsOf(redis.url)).toEqual([expect.stringContaining('appendonly')]);
  });

  it.each([
    ['appendonly', 'yes'],
    ['save', '3600 1'],
  ])('is not one with %s %s', async (name, value) => {
    const [, before] = (await redis.command('CONFIG', 'GET', name)) as string[];
    undo.push(() => redis.command('CONFIG', 'SET', name, before!));
    await redis.command('CONFIG', 'SET', name, value);
    expect(await warningsOf(redis.url)).toEqual([]);
  });

  it('is not noticed if Redis does not say', async () => {
    for (const rights of [['-info'], ['+info', '-config']]) {
      const rules = ['on', `>${PASSWORD}`, '~*', '+@all', ...rights];
      await redis.command('ACL', 'SETUSER', 'silent', 'reset', ...rules);
      expect(await warningsOf(withCredentials('silent', PASSWORD))).toEqual([]);
    }
    // It is the missing right that keeps it silent.
    await redis.command('ACL', 'SETUSER', 'silent', '+@all');
    expect(await warningsOf(withCredentials('silent', PASSWORD))).toHaveLength(1);
  });
});
