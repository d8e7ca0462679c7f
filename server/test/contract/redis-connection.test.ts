import { once } from 'node:events';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RedisConnection, redisAddress } from '../../src/cluster/counters/redis/connection.ts';
import { TestRedis } from '../harness/redis.ts';
import { selfSigned } from '../webhooks/guard-certificate.ts';

const PASSWORD = 'p@ss:wörd/?#%';

let redis: TestRedis;
const undo: (() => unknown)[] = [];
beforeAll(async () => {
  redis = await TestRedis.start();
  await redis.command('ACL', 'SETUSER', 'counter', 'on', `>${PASSWORD}`, '~*', '+@all');
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
afterAll(() => redis.dispose());

async function open(url: string, onLost: (error: Error) => void = () => {}) {
  const connection = new RedisConnection(redisAddress(url), onLost);
  undo.push(() => connection.destroy());
  await connection.open();
  return connection;
}

const withCredentials = (user: string, password: string, rest = ''): string =>
  `redis://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${redis.port}${rest}`;

it('sets its client name, and matches replies and errors to their commands', async () => {
  const connection = await open(redis.url);
  const asked = ['one', 'two', 'three'].map((text) => connection.send(['ECHO', text]));
  const wrong = connection.send(['NOSUCHCOMMAND']);
  await expect(wrong).rejects.toThrow(/^ERR unknown command/);
  expect(await Promise.all(asked)).toEqual(['one', 'two', 'three']);
  expect(await connection.send(['CLIENT', 'GETNAME'])).toBe('keyward');
  expect(await connection.send(['ECHO', 'flöte'])).toBe('flöte');
});

it('matches thousands of replies', async () => {
  const connection = await open(redis.url);
  const numbers = Array.from({ length: 3_000 }, (_, n) => String(n));
  const answers = await Promise.all(numbers.map((text) => connection.send(['ECHO', text])));
  expect(answers).toEqual(numbers);
});

describe('credentials', () => {
  it('accepts a user and password with any characters, and a database number', async () => {
    const connection = await open(withCredentials('counter', PASSWORD, '/3'));
    expect(await connection.send(['ACL', 'WHOAMI'])).toBe('counter');
    expect(await connection.send(['CLIENT', 'INFO'])).toMatch(/ db=3 /);
  });

  it('a wrong password fails, and the error does not contain it', async () => {
    const refused = open(withCredentials('counter', 'not-the-password'));
    await expect(refused).rejects.toThrow(/WRONGPASS/);
    await expect(refused).rejects.not.toThrow(/not-the-password/);
  });

  it('accepts a password without a user', async () => {
    await redis.command('CONFIG', 'SET', 'requirepass', 'secret');
    undo.push(async () => {
      const connection = await open(withCredentials('', 'secret'));
      await connection.send(['CONFIG', 'SET', 'requirepass', '']);
    });
    const connection = await open(withCredentials('', 'secret'));
    expect(await connection.send(['ACL', 'WHOAMI'])).toBe('default');
    await expect(open(redis.url)).rejects.toThrow(/NOAUTH/);
  });

  it('an invalid address fails without showing the password', () => {
    for (const url of ['redis://me:hidden@host:99999', 'redis://me:%zz@host'])
      expect(() => redisAddress(url)).toThrow(/^The address of Redis is not a URL like redis:/);
    expect(() => redisAddress('redis://me:hidden@host:99999')).not.toThrow(/hidden/);
  });
});

it('parses addresses', () => {
  expect(redisAddress('rediss://cache.example')).toEqual({
    host: 'cache.example',
    port: 6379,
    isEncrypted: true,
    setup: [['CLIENT', 'SETNAME', 'keyward']],
  });
  expect(redisAddress('redis://[::1]:7000/')).toMatchObject({ host: '::1', port: 7000 });
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
    await expect(open(`rediss://localhost:${port}`)).rejects.toThrow(/self-signed/);
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, pair.cert]);
    undo.push(() => setDefaultCACertificates(before));
    const connection = await open(`rediss://localhost:${port}`);
    expect(await connection.send(['ECHO', 'hidden'])).toBe('hidden');
    await expect(open(`rediss://127.0.0.1:${port}`)).rejects.toThrow(/IP|altnames/);
  });
});

describe('a connection that is lost', () => {
  it('rejects pending commands, and is reported once', async () => {
    const told: string[] = [];
    const connection = await open(redis.url, ({ message }) => told.push(message));
    const waiting = connection.send(['BLPOP', 'nothing', '0']);
    // It may be reported before CLIENT KILL has its reply.
    waiting.catch(() => {});
    const id = await (await open(redis.url)).send(['CLIENT', 'LIST', 'TYPE', 'normal']);
    const own = /id=(\d+)[^\n]*cmd=blpop/.exec(String(id))![1]!;
    await redis.command('CLIENT', 'KILL', 'ID', own);
    await expect(waiting).rejects.toThrow('Redis closed the connection.');
    await expect(connection.send(['PING'])).rejects.toThrow('Redis is not connected.');
    expect(told).toEqual(['Redis closed the connection.']);
  });

  it('includes a server that is not Redis', async () => {
    const server = createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    undo.push(() => server.close());
    const told: string[] = [];
    const { port } = server.address() as AddressInfo;
    const opened = open(`redis://127.0.0.1:${port}`, ({ message }) => told.push(message));
    await expect(opened).rejects.toThrow('The server does not speak RESP 2; is it Redis?');
    expect(told).toEqual(['The server does not speak RESP 2; is it Redis?']);
  });

  it('is not reported to the owner who closed it', async () => {
    const told: string[] = [];
    const connection = await open(redis.url, ({ message }) => told.push(message));
    const waiting = connection.send(['BLPOP', 'nothing', '0']);
    connection.destroy();
    await expect(waiting).rejects.toThrow('The connection to Redis was closed.');
    expect(told).toEqual([]);
  });
});
