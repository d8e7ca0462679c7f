/** Where Redis is, as KEYWARD_REDIS_URL says. */
export interface RedisAddress {
  /** `sentinel`: the hosts are Sentinels, which know the master of `name`. */
  readonly kind: 'server' | 'cluster' | 'sentinel';
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly isEncrypted: boolean;
  readonly username: string | null;
  readonly password: string | null;
  readonly sentinelUsername: string | null;
  readonly sentinelPassword: string | null;
  readonly database: number;
  /** Name of the master; empty without Sentinel. */
  readonly name: string;
}

const FORM =
  /^(?<scheme>rediss?)(?<sentinel>-sentinel)?:\/\/(?:(?<user>[^@/?#]*)@)?(?<hosts>[^@/?#\s]+)(?:\/(?<path>[^?#\s]*))?(?:\?(?<query>[^#\s]*))?$/;
const PORT = 6379;
const SENTINEL_PORT = 26379;

const FORMS =
  'redis://user:password@host:6379/0, redis://a:6379,b:6379 for a Cluster, or redis-sentinel://a:26379,b:26379/name';

/** Throws if the address cannot be parsed. The message omits the address, which may contain a password. */
export function redisAddress(url: string): RedisAddress {
  try {
    const found = FORM.exec(url)?.groups;
    if (found === undefined) throw new Error('wrong form');
    const { scheme, sentinel, user = '', hosts = '', path = '', query } = found;
    const isSentinel = sentinel !== undefined;
    const all = hosts.split(',').map((each) => hostOf(each, isSentinel ? SENTINEL_PORT : PORT));
    const [name = '', sentinelDatabase = ''] = isSentinel ? path.split('/') : [];
    if (isSentinel && name === '') throw new Error('no name');
    const [username, password] = credentials(user);
    const more = new URLSearchParams(query);
    return {
      kind: isSentinel ? 'sentinel' : all.length > 1 ? 'cluster' : 'server',
      hosts: all,
      isEncrypted: scheme === 'rediss',
      username,
      password,
      sentinelUsername: more.get('sentinelUsername'),
      sentinelPassword: more.get('sentinelPassword'),
      database: databaseOf(isSentinel ? sentinelDatabase : path),
      name: decodeURIComponent(name),
    };
  } catch {
    throw new Error(`must be a URL like ${FORMS}`);
  }
}

function hostOf(text: string, defaultPort: number): { host: string; port: number } {
  const { hostname, port } = new URL(`redis://${text}`);
  if (hostname === '') throw new Error('no host');
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? defaultPort : Number(port),
  };
}

function credentials(text: string): [username: string | null, password: string | null] {
  const [, username = '', password] = /^([^:]*)(?::(.*))?$/s.exec(text)!;
  return [
    username === '' ? null : decodeURIComponent(username),
    password === undefined ? null : decodeURIComponent(password),
  ];
}

function databaseOf(text: string): number {
  if (!/^\d{0,5}$/.test(text)) throw new Error('not a database');
  return Number(text);
}
