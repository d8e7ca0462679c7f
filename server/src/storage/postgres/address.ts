import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';

/** Where a database is, read from its URL. */
export interface PostgresAddress {
  /** One per server; all have the same database. */
  readonly configs: readonly ClientConfig[];
  /** Without user and password, for people and logs. */
  readonly shown: string;
}

/** What is wrong with a URL; never the URL itself, which holds a password. */
export class AddressError extends Error {}

const PARAMETERS = new Set([
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'channel_binding'],
  ...['host', 'port', 'application_name', 'options', 'connect_timeout', 'target_session_attrs'],
]);
const SESSION_ATTRS = ['read-write', 'primary'];
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

/**
 * `postgres://user:password@host:port/database?sslmode=…`, with the parameters as libpq has them, and
 * with several servers as `host1:port1,host2:port2`.
 */
export function postgresAddress(text: string): PostgresAddress {
  const [, start = '', hosts = '', rest = ''] =
    /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/.exec(text) ?? [];
  const configs = hosts.split(',').map((host) => serverConfig(start + host + rest));
  const servers = configs.map(({ host, port }) => `${host}:${port}`);
  return { configs, shown: `${servers.join()}/${configs[0]!.database}` };
}

function serverConfig(text: string): ClientConfig & { readonly database: string } {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    throw new AddressError('must be a URL like postgres://user:password@host:5432/database');
  const given = url.searchParams;
  for (const name of given.keys())
    if (!PARAMETERS.has(name)) throw new AddressError(`does not know the parameter ${name}`);
  if (!SESSION_ATTRS.includes(given.get('target_session_attrs') ?? 'primary'))
    throw new AddressError('takes target_session_attrs=read-write: Keyward uses the primary only');
  const host = given.get('host') ?? (decoded(url.hostname).replace(/^\[|\]$/g, '') || 'localhost');
  const port = Number(given.get('port') ?? (url.port || 5432));
  const database = decoded(url.pathname.slice(1));
  if (database === '')
    throw new AddressError('must name a database, as in postgres://host/keyward');
  const password = decoded(url.password);
  const options = given.get('options');
  return {
    host,
    port,
    database,
    user: decoded(url.username) || undefined,
    // An empty one keeps pg from asking a password file, which it has deprecated.
    password,
    ssl: tlsOf(given, host),
    application_name: given.get('application_name') ?? 'keyward',
    ...(options !== null && { options }),
    ...(given.get('sslnegotiation') === 'direct' && { sslnegotiation: 'direct' }),
    ...(given.has('channel_binding') && {
      enableChannelBinding: given.get('channel_binding') !== 'disable',
    }),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new AddressError('holds a % that begins no escape; write it as %25');
  }
}

/** As libpq: `require` encrypts without asking who answers, unless a root certificate is given. */
function tlsOf(given: URLSearchParams, host: string): false | ConnectionOptions {
  const mode = given.get('sslmode') ?? (given.has('sslrootcert') ? 'verify-full' : 'disable');
  if (mode === 'disable') return false;
  if (!SSL_MODES.some((each) => each === mode))
    throw new AddressError(`takes sslmode ${SSL_MODES.join(', ')}, which always do what they say`);
  const ca = certificate(given, 'sslrootcert');
  if (mode === 'verify-ca' && ca === undefined)
    throw new AddressError('needs sslrootcert with sslmode=verify-ca');
  const cert = certificate(given, 'sslcert');
  const key = certificate(given, 'sslkey');
  return {
    rejectUnauthorized: mode !== 'require' || ca !== undefined,
    // pg leaves out the name of a host that is an address; a server behind several names needs it.
    ...(/[a-z]/i.test(host) && { servername: host }),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

function certificate(given: URLSearchParams, name: string): string | undefined {
  const file = given.get(name);
  if (file === null || file === 'system') return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AddressError(
      `cannot read ${name} ${file} (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}
