import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readConfig, SettingError } from './config.ts';

describe('settings', () => {
  it('all have defaults', () => {
    expect(readConfig([], {})).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      dataDir: './data',
      secret: null,
      bootstrapAccessKey: null,
      managementLimit: 3000,
      trustedProxies: [],
      clientIPHeader: null,
      publicUrl: null,
      metricsPort: 9464,
      logLevel: 'info',
    });
  });

  it('are read from flags first, then from the environment', () => {
    const env = { PORT: '1', HOST: '::1', KEYWARD_DATA_DIR: '/a', UNRELATED: 'x' };
    const config = readConfig(['--port', '2', '--data-dir=/b'], env);
    expect(config).toMatchObject({ port: 2, host: '::1', dataDir: '/b' });
  });

  it('accept lists of networks and addresses, and a public URL', () => {
    const list = '10.0.0.0/8, 192.168.1.1,fd00::/8,::1,';
    expect(readConfig([], { KEYWARD_TRUSTED_PROXIES: list }).trustedProxies).toEqual([
      '10.0.0.0/8',
      '192.168.1.1',
      'fd00::/8',
      '::1',
    ]);
    expect(readConfig([], { KEYWARD_PUBLIC_URL: 'https://keys.example//' }).publicUrl).toBe(
      'https://keys.example',
    );
  });

  it.each([
    ['PORT', 'eighty', 'PORT must be a whole number from 0 to 65535, not "eighty".'],
    ['PORT', '65536', 'PORT must be a whole number from 0 to 65535, not "65536".'],
    ['PORT', '', 'PORT must be a whole number from 0 to 65535, not "".'],
    ['PORT', '0x50', 'PORT must be a whole number'],
    ['KEYWARD_SECRET', 'short', 'KEYWARD_SECRET must be 32 to 1,024 characters.'],
    ['KEYWARD_BOOTSTRAP_ACCESS_KEY', 'too short', 'KEYWARD_BOOTSTRAP_ACCESS_KEY must be 16 to 256'],
    ['KEYWARD_MANAGEMENT_LIMIT', '0', 'KEYWARD_MANAGEMENT_LIMIT must be a whole number from 1'],
    ['KEYWARD_METRICS_PORT', '-1', 'KEYWARD_METRICS_PORT must be a whole number'],
    ['KEYWARD_CACHE_MB', '1.5', 'KEYWARD_CACHE_MB must be a whole number'],
    ['KEYWARD_HOT_PATH', 'no', 'KEYWARD_HOT_PATH must be one of on, off.'],
    ['KEYWARD_STALE_SECONDS', '0', 'KEYWARD_STALE_SECONDS must be a whole number'],
    ['KEYWARD_WEBHOOK_ALLOW', 'fe80::1%eth0', '"fe80::1%eth0" is not an address or CIDR.'],
    ['KEYWARD_TRUSTED_PROXIES', 'proxy.local', '"proxy.local" is not an address or CIDR.'],
    ['KEYWARD_TRUSTED_PROXIES', '999.1.1.1', '"999.1.1.1" is not an address or CIDR.'],
    ['KEYWARD_TRUSTED_PROXIES', '10.0.0.0/64', '"10.0.0.0/64" is not an address or CIDR.'],
    ['KEYWARD_TRUSTED_PROXIES', '10.0.0.0/8/8', '"10.0.0.0/8/8" is not an address or CIDR.'],
    ['KEYWARD_CLIENT_IP_HEADER', 'X Y', 'KEYWARD_CLIENT_IP_HEADER must be the name of a header'],
    ['KEYWARD_CLIENT_IP_HEADER', 'X-Forwarded-For', 'requires KEYWARD_TRUSTED_PROXIES'],
    ['KEYWARD_PUBLIC_URL', 'ftp://x', 'KEYWARD_PUBLIC_URL must be an http or https URL'],
    ['KEYWARD_PUBLIC_URL', 'https://user:secret@keys.example', 'must have no user name'],
    ['KEYWARD_DATABASE_URL', 'mysql://host/db', 'KEYWARD_DATABASE_URL must be a URL like postgres'],
    ['KEYWARD_DATABASE_URL', 'postgres://host/db', 'KEYWARD_DATABASE_URL requires KEYWARD_SECRET'],
    ['KEYWARD_DATABASE_DIRECT_URL', 'postgres://host/db', 'requires KEYWARD_DATABASE_URL'],
    ['KEYWARD_DATABASE_POOL', '1', 'KEYWARD_DATABASE_POOL must be a whole number from 2 to 1000'],
    ['KEYWARD_REDIS_URL', 'localhost:6379', 'KEYWARD_REDIS_URL must be a URL like redis://'],
    ['KEYWARD_REDIS_URL', 'redis-sentinel://a,b', 'KEYWARD_REDIS_URL must be a URL like redis://'],
    ['HOST', '', 'HOST must not be empty.'],
    ['KEYWARD_METRICS_HOST', '', 'KEYWARD_METRICS_HOST must not be empty.'],
    ['KEYWARD_DATA_DIR', '', 'KEYWARD_DATA_DIR must not be empty.'],
    ['PORT', '9464', 'PORT and KEYWARD_METRICS_PORT must be different.'],
    ['KEYWARD_RATE_LIMITS', 'none', 'KEYWARD_RATE_LIMITS must be one of shared, per-node.'],
    ['KEYWARD_LOG_LEVEL', 'loud', 'KEYWARD_LOG_LEVEL must be one of fatal'],
    ['KEYWARD_SECERT', 'x', 'KEYWARD_SECERT is not a setting. See: npx keyward serve --help'],
  ])('reject %s=%s with one line that names the setting', (name, value, message) => {
    const refused = () => readConfig([], { [name]: value });
    expect(refused).toThrow(SettingError);
    expect(refused).toThrow(message);
    expect(refused).toThrow(new RegExp(name));
  });

  it('never repeat a rejected secret in the error', () => {
    const secrets = ['KEYWARD_SECRET', 'KEYWARD_BOOTSTRAP_ACCESS_KEY', 'KEYWARD_REDIS_URL'];
    secrets.push('KEYWARD_DATABASE_URL', 'KEYWARD_DATABASE_DIRECT_URL');
    for (const name of secrets)
      expect(() => readConfig([], { [name]: 'hush hush' })).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining('hush') }),
      );
  });

  it('accept a retired setting, with a warning that names the replacement', () => {
    expect(readConfig([], {}).retired).toEqual([]);
    const given = [readConfig([], { KEYWARD_THREADS: '4' }), readConfig(['--threads', '4'], {})];
    for (const { retired } of given)
      expect(retired).toEqual([
        expect.stringMatching(/^KEYWARD_THREADS is ignored: .*several nodes/),
      ]);
  });

  it('may include settings of the CLI and of edges, so that one file can contain all of them', () => {
    const guide = readFileSync(new URL('../../../docs/guides/edge.md', import.meta.url), 'utf8');
    const ofEdges = guide.match(/KEYWARD_(UPSTREAM|EDGE|ACCESS)_[A-Z_]+/g) ?? [];
    expect(ofEdges).toContain('KEYWARD_UPSTREAM_TIMEOUT_SECONDS');
    const env = Object.fromEntries(ofEdges.map((name) => [name, '1']));
    expect(() => readConfig([], env)).not.toThrow();
  });

  it('accept either Redis or per-node rate limits, not both', () => {
    const redis = { KEYWARD_REDIS_URL: 'rediss://user:pass@cache.example:6380/2' };
    expect(readConfig([], redis)).toMatchObject({
      redisUrl: redis.KEYWARD_REDIS_URL,
      rateLimits: 'shared',
    });
    const both = { ...redis, KEYWARD_RATE_LIMITS: 'per-node' };
    expect(() => readConfig([], both)).toThrow(/KEYWARD_REDIS_URL.* KEYWARD_RATE_LIMITS=per-node/);
  });

  it.each([
    [['--prot', '1'], '--prot is not a setting.'],
    [['--port'], '--port needs a value.'],
    [['8080'], '8080 is not a setting.'],
  ])('reject the flags %o', (argv, message) => {
    expect(() => readConfig(argv, {})).toThrow(message);
  });
});
