import { describe, expect, it } from 'vitest';
import { redisAddress } from './address.ts';

const PASSWORD = 'p@ss:wörd/?#%';

describe('the address of Redis', () => {
  it('is one server, with or without TLS, user and database', () => {
    expect(redisAddress('rediss://cache.example')).toEqual({
      kind: 'server',
      hosts: [{ host: 'cache.example', port: 6379 }],
      isEncrypted: true,
      username: null,
      password: null,
      sentinelUsername: null,
      sentinelPassword: null,
      database: 0,
      name: '',
    });
    expect(redisAddress('redis://[::1]:7000/')).toMatchObject({
      hosts: [{ host: '::1', port: 7000 }],
      isEncrypted: false,
    });
    const user = `counter:${encodeURIComponent(PASSWORD)}`;
    expect(redisAddress(`redis://${user}@host/3`)).toMatchObject({
      username: 'counter',
      password: PASSWORD,
      database: 3,
    });
    expect(redisAddress('redis://:secret@host')).toMatchObject({
      username: null,
      password: 'secret',
    });
  });

  it('is a Cluster when it has several hosts', () => {
    expect(redisAddress('rediss://u:p@a:7000,b,[::2]:7002')).toMatchObject({
      kind: 'cluster',
      hosts: [
        { host: 'a', port: 7000 },
        { host: 'b', port: 6379 },
        { host: '::2', port: 7002 },
      ],
      isEncrypted: true,
      username: 'u',
      password: 'p',
    });
  });

  it('is a master that Sentinels know by its name', () => {
    const url = 'redis-sentinel://u:p@a,b:7000/my-master/2?sentinelPassword=s%26t';
    expect(redisAddress(url)).toMatchObject({
      kind: 'sentinel',
      hosts: [
        { host: 'a', port: 26379 },
        { host: 'b', port: 7000 },
      ],
      name: 'my-master',
      database: 2,
      password: 'p',
      sentinelUsername: null,
      sentinelPassword: 's&t',
    });
  });

  it.each([
    'redis://me:hidden@host:99999',
    'redis://me:%zzhidden@host',
    'redis://me:hidden@',
    'redis://me:hidden@a,,b',
    'redis://me:hidden@host/first',
    'redis-sentinel://me:hidden@a,b',
    'http://me:hidden@host',
  ])('%s is refused without showing the password', (url) => {
    expect(() => redisAddress(url)).toThrow(/^must be a URL like redis:\/\//);
    expect(() => redisAddress(url)).not.toThrow(/hidden/);
  });
});
