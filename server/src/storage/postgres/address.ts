import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';

/** The connection settings in the URL of a database. */
export interface PostgresAddress {
  /** One per server; all name the same database. */
  readonly configs: readonly ClientConfig[];
  /** Without user and password, for messages and logs. */
  readonly shown: string;
}

/** Describes the problem with a URL, without the URL itself, which contains a password. */
export class AddressError extends Error {}

const PARAMETERS = new Set([
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'channel_binding'],
  ...['host', 'port', 'application_name', 'options', 'connect_timeout', 'target_session_attrs'],
]);
const SESSION_ATTRS = ['read-write', 'primary'];
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

/**
 * Parses `postgres://user:password@host:port/database?sslmode=…`, with the parameters of libpq. Several
 * servers are written as `host1:port1,host2:port2`.
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
    if (!PARAMETERS.has(name)) throw new AddressError(`has the unknown parameter ${name}`);
  if (!SESSION_ATTRS.includes(given.get('target_session_attrs') ?? 'primary'))
    throw new AddressError(
      'accepts only target_session_attrs=read-write or primary: Keyward uses only the primary',
    );
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
    // Never undefined: pg would then read a password file, which is deprecated.
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
    throw new AddressError('contains a % that does not start an escape; write it as %25');
  }
}

/** Like libpq: `require` encrypts without verifying the server, unless a root certificate is given. */
function tlsOf(given: URLSearchParams, host: string): false | ConnectionOptions {
  const mode = given.get('sslmode') ?? (given.has('sslrootcert') ? 'verify-full' : 'disable');
  if (mode === 'disable') return false;
  if (!SSL_MODES.some((each) => each === mode))
    throw new AddressError(
      `accepts only sslmode ${SSL_MODES.join(', ')}: the others may connect without encryption`,
    );
  const ca = certificate(given, 'sslrootcert');
  if (mode === 'verify-ca' && ca === undefined)
    throw new AddressError('needs sslrootcert with sslmode=verify-ca');
  const cert = certificate(given, 'sslcert');
  const key = certificate(given, 'sslkey');
  return {
    rejectUnauthorized: mode !== 'require' || ca !== undefined,
    // SNI: a server with several names chooses its certificate by it. Not for IP addresses.
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
