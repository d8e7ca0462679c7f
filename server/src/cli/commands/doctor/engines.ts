import type { Config } from '../../../app/config.ts';
import { systemClock } from '../../../kernel/time/clock.ts';
import { versionFinding } from './data-directory.ts';
import { type Finding, messageOf, ok, problem, warning } from './finding.ts';

const TIMEOUT_MS = 5_000;
const POSTGRES_MIN = 150_000;
/** As the nodes themselves: further off, a node is not ready. */
const CLOCK_MS_MAX = 2_000;

/** PostgreSQL: reachable, version, clock, schema, connections. */
export async function checkPostgres({ databaseUrl, databasePool }: Config): Promise<Finding[]> {
  if (databaseUrl === null) return [];
  const { postgresAddress } = await import('../../../storage/postgres/address.ts');
  const { default: pg } = await import('pg');
  const { configs, shown } = postgresAddress(databaseUrl);
  const name = `PostgreSQL ${shown}`;
  const client = new pg.Client({
    ...configs[0],
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  try {
    await client.connect();
    const started = systemClock();
    const { rows } = await client.query(
      `select current_setting('server_version_num')::int as version, current_setting('server_version') as shown,
        current_setting('max_connections')::int as most, extract(epoch from clock_timestamp()) * 1000 as now,
        to_regclass('schema_version') is not null as has_schema`,
    );
    const clock = clockFinding('PostgreSQL', Number(rows[0].now), started);
    const schema = rows[0].has_schema
      ? await client.query('select max(version) as version from schema_version')
      : null;
    return [
      rows[0].version < POSTGRES_MIN
        ? problem(`${name}: version ${rows[0].shown}`, 'Keyward needs PostgreSQL 15 or newer.')
        : ok(`${name}: version ${rows[0].shown}`),
      clock,
      ...(databasePool + 1 > rows[0].most / 2
        ? [
            warning(
              `${name} accepts ${rows[0].most} connections; each node uses ${databasePool + 1}`,
              'With several nodes, raise max_connections or lower KEYWARD_DATABASE_POOL.',
            ),
          ]
        : []),
      schema === null
        ? ok(`${name}: the first start creates its tables`)
        : versionFinding(name, schema.rows[0].version),
    ];
  } catch (error) {
    return [
      problem(
        `${name}: ${messageOf(error)}`,
        'Check KEYWARD_DATABASE_URL, and that the server accepts connections from this machine.',
      ),
    ];
  } finally {
    await client.end().catch(() => {});
  }
}

/** `theirs`: what the other clock said between `started` and now. */
export function clockFinding(other: string, theirs: number, started: number): Finding {
  const now = systemClock();
  const uncertainMs = (now - started) / 2;
  const offMs = theirs - (started + now) / 2;
  if (Math.abs(offMs) <= CLOCK_MS_MAX + uncertainMs) return ok(`clock: agrees with ${other}`);
  const seconds = (Math.abs(offMs) / 1000).toFixed(1);
  return problem(
    `clock: ${seconds} s ${offMs > 0 ? 'behind' : 'ahead of'} that of ${other}`,
    'Synchronize it, for example with chrony or systemd-timesyncd. Expiry and limits depend on it.',
  );
}

/** Redis: reachable, and never evicts the counts of limits. */
export async function checkRedis({ redisUrl }: Config): Promise<Finding[]> {
  if (redisUrl === null) return [];
  const [{ redisAddress }, { RedisClient }] = await Promise.all([
    import('../../../cluster/counters/redis/address.ts'),
    import('../../../cluster/counters/redis/client.ts'),
  ]);
  const address = redisAddress(redisUrl);
  const name = `Redis ${address.hosts.map(({ host, port }) => `${host}:${port}`).join()}`;
  let policy: string | undefined;
  let failure: Error | undefined;
  const readPolicy = async (send: (args: readonly string[]) => Promise<unknown>) => {
    const info = String(await send(['INFO', 'memory']));
    const [, found] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
    if (policy === undefined || policy === 'noeviction') policy = found;
  };
  const client = new RedisClient({
    address,
    silenceMs: TIMEOUT_MS,
    prepareServer: readPolicy,
    prepareShard: readPolicy,
    onUp: () => {},
    onDown: (error) => {
      failure = error;
    },
    onShardDown: (_, error) => {
      failure = error;
    },
    onFailover: () => {},
  });
  try {
    await client.start();
  } finally {
    client.stop();
  }
  if (failure !== undefined)
    return [
      problem(
        `${name}: ${messageOf(failure)}`,
        'Check KEYWARD_REDIS_URL, and that Redis accepts connections from this machine. Until then, each node counts limits by itself.',
      ),
    ];
  if (policy !== undefined && policy !== 'noeviction')
    return [
      warning(
        `${name} may delete counts when its memory is full (maxmemory-policy ${policy})`,
        'Set maxmemory-policy noeviction, or give Keyward a Redis of its own.',
      ),
    ];
  return [ok(`${name}: connected (${client.mode})`)];
}

/** The mail server accepts user and password. No mail is sent. */
export async function checkMail({ smtp }: Config): Promise<Finding[]> {
  if (smtp === null) return [];
  const { host } = new URL(smtp.url);
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(smtp.url, {
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  } as never);
  try {
    await transport.verify();
    return [ok(`mail server ${host}: accepts the sign-in`)];
  } catch (error) {
    return [
      problem(
        `mail server ${host}: ${messageOf(error)}`,
        'Check KEYWARD_SMTP_URL. Invitations and resets are sent by mail.',
      ),
    ];
  } finally {
    transport.close();
  }
}
