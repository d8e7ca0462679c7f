import { isIP } from 'node:net';
import { PEOPLE_SETTINGS, type PeopleConfig, readPeople } from './people-settings.ts';

/**
 * All settings. Each can be a flag or an environment variable; the flag takes precedence. An unknown one stops the
 * start: a misspelled setting would be noticed only when its effect is missing. So do two that contradict each
 * other. A retired one is only logged, so that the server still starts after an upgrade.
 */
export interface Config extends PeopleConfig {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly databaseDirectUrl: string | null;
  readonly databasePool: number;
  readonly secret: string | null;
  readonly bootstrapAccessKey: string | null;
  readonly managementLimit: number;
  readonly trustedProxies: readonly string[];
  readonly clientIPHeader: string | null;
  readonly publicUrl: string | null;
  readonly webhookAllow: readonly string[];
  readonly githubKeys: string | null;
  readonly metricsPort: number;
  readonly metricsHost: string;
  readonly otlpEndpoint: string | null;
  readonly otlpIntervalMs: number;
  readonly cacheMegabytes: number;
  readonly usageMinuteHours: number;
  readonly usageHourDays: number;
  readonly historyDays: number;
  readonly staleSeconds: number;
  readonly drainMs: number;
  readonly redisUrl: string | null;
  readonly rateLimits: (typeof RATE_LIMITS)[number];
  readonly hotPath: (typeof HOT_PATH)[number];
  /** A message for each given setting that no longer has an effect. */
  readonly retired: readonly string[];
  readonly logLevel: string;
}

/** `deploy/haproxy.cfg` notices within 1.5 s that a node is not ready, and Kubernetes usually within 2 s. */
export const DRAIN_SECONDS = '3';
/** The longest wait for deregistration that cloud load balancers need by default. */
export const DRAIN_SECONDS_MAX = 300;

export class SettingError extends Error {}

interface Setting {
  readonly env: string;
  readonly flag: string;
  readonly help: string;
  readonly fallback?: string;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const POSTGRES_URL = /^postgres(ql)?:\/\/\S+$/;
const POSTGRES_FORM = 'a URL like postgres://user:password@host:5432/database';

/** Also for edges. */
export const HEADER_NAME = /^[A-Za-z0-9-]{1,64}$/;

const RATE_LIMITS = ['shared', 'per-node'] as const;
const HOT_PATH = ['on', 'off'] as const;

const SETTINGS = {
  port: {
    env: 'PORT',
    flag: 'port',
    fallback: '8080',
    help: 'Port of the API; 0 for any free port.',
  },
  host: { env: 'HOST', flag: 'host', fallback: '127.0.0.1', help: 'Address to listen on.' },
  dataDir: {
    env: 'KEYWARD_DATA_DIR',
    flag: 'data-dir',
    fallback: './data',
    help: 'Directory of the database and the root secret; used by one process at a time.',
  },
  databaseUrl: {
    env: 'KEYWARD_DATABASE_URL',
    flag: 'database-url',
    help: 'PostgreSQL, for several nodes: postgres://user:password@host:5432/database',
  },
  databaseDirectUrl: {
    env: 'KEYWARD_DATABASE_DIRECT_URL',
    flag: 'database-direct-url',
    help: 'PostgreSQL without a pooler in between, for LISTEN and migrations.',
  },
  databasePool: {
    env: 'KEYWARD_DATABASE_POOL',
    flag: 'database-pool',
    fallback: '10',
    help: 'Size of the pool of PostgreSQL connections of this node; one more connection listens for changes.',
  },
  secret: {
    env: 'KEYWARD_SECRET',
    flag: 'secret',
    help: 'Root secret, instead of the file `secret` in the data directory.',
  },
  bootstrapAccessKey: {
    env: 'KEYWARD_BOOTSTRAP_ACCESS_KEY',
    flag: 'bootstrap-access-key',
    help: 'First access key, instead of a random one: 16 to 256 characters of A-Z a-z 0-9 . _ ~ -',
  },
  managementLimit: {
    env: 'KEYWARD_MANAGEMENT_LIMIT',
    flag: 'management-limit',
    fallback: '3000',
    help: 'Management requests per minute for each user, and for each access key without a limit of its own.',
  },
  trustedProxies: {
    env: 'KEYWARD_TRUSTED_PROXIES',
    flag: 'trusted-proxies',
    fallback: '',
    help: 'CIDRs whose X-Forwarded-For is trusted, separated by commas.',
  },
  clientIPHeader: {
    env: 'KEYWARD_CLIENT_IP_HEADER',
    flag: 'client-ip-header',
    help: 'Header with the address of the user, at /gateway/verify only, from trusted proxies that overwrite it.',
  },
  publicUrl: {
    env: 'KEYWARD_PUBLIC_URL',
    flag: 'public-url',
    help: 'Public URL of this server, used in links.',
  },
  webhookAllow: {
    env: 'KEYWARD_WEBHOOK_ALLOW',
    flag: 'webhook-allow',
    fallback: '',
    help: 'CIDRs that webhooks may reach in addition to public addresses; plain http is allowed only to them.',
  },
  githubKeys: {
    env: 'KEYWARD_GITHUB_KEYS',
    flag: 'github-keys',
    help: 'File with the public keys of GitHub secret scanning; enables POST /leaks/github.',
  },
  metricsPort: {
    env: 'KEYWARD_METRICS_PORT',
    flag: 'metrics-port',
    fallback: '9464',
    help: 'Port of Prometheus metrics; 0 for any free port.',
  },
  metricsHost: {
    env: 'KEYWARD_METRICS_HOST',
    flag: 'metrics-host',
    fallback: '127.0.0.1',
    help: 'Address of Prometheus metrics. They need no credential: do not use a public address.',
  },
  otlpEndpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    flag: 'otlp-endpoint',
    help: 'OpenTelemetry collector that receives traces and metrics over HTTP: http://localhost:4318',
  },
  otlpIntervalMs: {
    env: 'OTEL_METRIC_EXPORT_INTERVAL',
    flag: 'otlp-metric-interval',
    fallback: '60000',
    help: 'Milliseconds between two exports of metrics to the collector.',
  },
  cacheMegabytes: {
    env: 'KEYWARD_CACHE_MB',
    flag: 'cache-mb',
    fallback: '256',
    help: 'Memory for cached keys, in megabytes.',
  },
  usageMinuteHours: {
    env: 'KEYWARD_USAGE_MINUTE_HOURS',
    flag: 'usage-minute-hours',
    fallback: '48',
    help: 'Hours for which usage by minute is kept.',
  },
  usageHourDays: {
    env: 'KEYWARD_USAGE_HOUR_DAYS',
    flag: 'usage-hour-days',
    fallback: '90',
    help: 'Days for which usage by hour is kept; usage by day is kept forever.',
  },
  historyDays: {
    env: 'KEYWARD_HISTORY_DAYS',
    flag: 'history-days',
    fallback: '90',
    help: 'Days for which reported leaks and closed invitations are kept.',
  },
  hotPath: {
    env: 'KEYWARD_HOT_PATH',
    flag: 'hot-path',
    fallback: 'on',
    help: 'off: route simple validations through Fastify like all other requests, for diagnosis.',
  },
  staleSeconds: {
    env: 'KEYWARD_STALE_SECONDS',
    flag: 'stale-seconds',
    fallback: '60',
    help: 'Seconds for which a node that receives no change notifications may serve from memory.',
  },
  drainSeconds: {
    env: 'KEYWARD_DRAIN_SECONDS',
    flag: 'drain-seconds',
    fallback: DRAIN_SECONDS,
    help: 'Seconds after SIGTERM in which the server reports not ready but still accepts requests, so that load balancers notice.',
  },
  redisUrl: {
    env: 'KEYWARD_REDIS_URL',
    flag: 'redis-url',
    help: 'Redis or Valkey in which all nodes count rate limits: redis://host, redis://a,b,c for a Cluster, or redis-sentinel://a,b,c/name; rediss for TLS.',
  },
  rateLimits: {
    env: 'KEYWARD_RATE_LIMITS',
    flag: 'rate-limits',
    fallback: 'shared',
    help: 'per-node: several nodes without Redis, each enforcing its share of a limit.',
  },
  ...PEOPLE_SETTINGS,
  logLevel: {
    env: 'KEYWARD_LOG_LEVEL',
    flag: 'log-level',
    fallback: 'info',
    help: `One of ${LOG_LEVELS.join(', ')}.`,
  },
} as const satisfies Record<string, Setting>;

type Name = keyof typeof SETTINGS;

/** Former settings: accepted with a warning, so that the server still starts after an upgrade. */
const RETIRED = [
  {
    env: 'KEYWARD_THREADS',
    flag: 'threads',
    instead:
      'a process serves requests on one core; to use more, run several nodes on PostgreSQL (docs/guides/from-one-machine-to-many.md)',
  },
] as const;

const ALL_SETTINGS = [...Object.values(SETTINGS), ...RETIRED];

/** Settings of the CLI and of edges, which may be in the environment of the server. */
const NON_SERVER_SETTINGS = new Set([
  'KEYWARD_URL',
  'KEYWARD_ACCESS_KEY',
  'KEYWARD_PROFILE',
  'KEYWARD_UPSTREAM_URL',
  'KEYWARD_UPSTREAM_TIMEOUT_SECONDS',
  'KEYWARD_EDGE_LISTEN',
]);

export const CLIENT_IP_NEEDS_PROXIES =
  'KEYWARD_CLIENT_IP_HEADER requires KEYWARD_TRUSTED_PROXIES: the header is read only from these.';

export const settingsHelp = (): { flag: string; env: string; fallback: string; help: string }[] =>
  Object.values(SETTINGS).map((setting: Setting) => ({ fallback: '', ...setting }));

export function readConfig(argv: readonly string[], env: NodeJS.ProcessEnv): Config {
  const config = readSettings(argv, env);
  if (config.clientIPHeader !== null && config.trustedProxies.length === 0)
    throw new SettingError(CLIENT_IP_NEEDS_PROXIES);
  if (config.redisUrl !== null && config.rateLimits === 'per-node')
    throw new SettingError(
      'Set either KEYWARD_REDIS_URL, to count limits across all nodes, or KEYWARD_RATE_LIMITS=per-node.',
    );
  if (config.databaseDirectUrl !== null && config.databaseUrl === null)
    throw new SettingError('KEYWARD_DATABASE_DIRECT_URL requires KEYWARD_DATABASE_URL.');
  if (config.databaseUrl !== null && config.secret === null)
    throw new SettingError(
      'KEYWARD_DATABASE_URL requires KEYWARD_SECRET: every node must have the same root secret.',
    );
  if (config.port !== 0 && config.port === config.metricsPort && config.host === config.metricsHost)
    throw new SettingError('PORT and KEYWARD_METRICS_PORT must be different.');
  return config;
}

function readSettings(argv: readonly string[], env: NodeJS.ProcessEnv): Config {
  refuseUnknown(env);
  const flags = readFlags(argv);
  const text = (name: Name): string | null => {
    const setting: Setting = SETTINGS[name];
    return flags.get(setting.flag) ?? env[setting.env] ?? setting.fallback ?? null;
  };
  return {
    port: number('port', text, 0, 65_535),
    host: notEmpty('host', text),
    dataDir: notEmpty('dataDir', text),
    databaseUrl: pattern('databaseUrl', text, POSTGRES_URL, POSTGRES_FORM),
    databaseDirectUrl: pattern('databaseDirectUrl', text, POSTGRES_URL, POSTGRES_FORM),
    databasePool: number('databasePool', text, 2, 1_000),
    secret: pattern('secret', text, /^.{32,1024}$/s, '32 to 1,024 characters'),
    bootstrapAccessKey: pattern(
      'bootstrapAccessKey',
      text,
      /^[A-Za-z0-9._~-]{16,256}$/,
      '16 to 256 characters of A-Z a-z 0-9 . _ ~ -',
    ),
    managementLimit: number('managementLimit', text, 1, 2_147_483_647),
    trustedProxies: addresses('trustedProxies', text),
    clientIPHeader: pattern(
      'clientIPHeader',
      text,
      HEADER_NAME,
      'the name of a header, like X-Forwarded-For',
    ),
    publicUrl: url(text('publicUrl')),
    webhookAllow: addresses('webhookAllow', text),
    githubKeys: text('githubKeys'),
    metricsPort: number('metricsPort', text, 0, 65_535),
    metricsHost: notEmpty('metricsHost', text),
    otlpEndpoint: pattern('otlpEndpoint', text, /^https?:\/\/\S+$/, 'an http or https URL'),
    otlpIntervalMs: number('otlpIntervalMs', text, 100, 86_400_000),
    cacheMegabytes: number('cacheMegabytes', text, 1, 1_048_576),
    usageMinuteHours: number('usageMinuteHours', text, 1, 8_760),
    usageHourDays: number('usageHourDays', text, 1, 3_650),
    historyDays: number('historyDays', text, 1, 3_650),
    staleSeconds: number('staleSeconds', text, 1, 86_400),
    drainMs: number('drainSeconds', text, 0, DRAIN_SECONDS_MAX) * 1_000,
    redisUrl: pattern(
      'redisUrl',
      text,
      /^rediss?(:\/\/[^\s/]+|-sentinel:\/\/[^\s/]+\/[^\s/]+)/,
      'a URL like redis://user:password@host:6379, redis://a,b,c for a Cluster, or redis-sentinel://a,b,c/name; rediss… with TLS',
    ),
    rateLimits: oneOf('rateLimits', text('rateLimits')!, RATE_LIMITS),
    ...readPeople(text, refuse),
    hotPath: oneOf('hotPath', text('hotPath')!, HOT_PATH),
    retired: RETIRED.filter(
      ({ env: name, flag }) => flags.has(flag) || env[name] !== undefined,
    ).map(({ env: name, instead }) => `${name} is ignored: ${instead}`),
    logLevel: oneOf('logLevel', text('logLevel')!, LOG_LEVELS),
  };
}

function readFlags(argv: readonly string[]): Map<string, string> {
  const known = new Set<string>(ALL_SETTINGS.map((setting) => setting.flag));
  const flags = new Map<string, string>();
  for (let i = 0; i < argv.length; i++) {
    const [flag = '', inline] = argv[i]!.replace(/^--/, '').split(/=(.*)/s, 2);
    if (!argv[i]!.startsWith('--') || !known.has(flag))
      throw new SettingError(`${argv[i]} is not a setting. See: npx keyward serve --help`);
    const value = inline ?? argv[++i];
    if (value === undefined) throw new SettingError(`--${flag} needs a value.`);
    flags.set(flag, value);
  }
  return flags;
}

function refuseUnknown(env: NodeJS.ProcessEnv): void {
  const known = new Set<string>(ALL_SETTINGS.map((setting) => setting.env));
  for (const name of Object.keys(env)) {
    if (!name.startsWith('KEYWARD_') || known.has(name) || NON_SERVER_SETTINGS.has(name)) continue;
    throw new SettingError(`${name} is not a setting. See: npx keyward serve --help`);
  }
}

function refuse(message: string): never {
  throw new SettingError(message);
}

type Text = (name: Name) => string | null;

function number(name: Name, text: Text, min: number, max: number): number {
  const value = text(name)!;
  const read = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (!(read >= min && read <= max))
    throw new SettingError(
      `${SETTINGS[name].env} must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}.`,
    );
  return read;
}

/** For an empty host, Node would listen on all interfaces. */
function notEmpty(name: Name, text: Text): string {
  const value = text(name)!;
  if (value === '') throw new SettingError(`${SETTINGS[name].env} must not be empty.`);
  return value;
}

/** The message does not repeat the value, which may be a secret. */
function pattern(name: Name, text: Text, form: RegExp, what: string): string | null {
  const value = text(name);
  if (value !== null && !form.test(value))
    throw new SettingError(`${SETTINGS[name].env} must be ${what}.`);
  return value;
}

function oneOf<T extends string>(name: Name, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined)
    throw new SettingError(`${SETTINGS[name].env} must be one of ${allowed.join(', ')}.`);
  return found;
}

const addresses = (name: Name, text: Text): string[] =>
  readNetworks(SETTINGS[name].env, text(name)!);

/** Addresses and CIDRs, separated by commas. */
export function readNetworks(name: string, text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  const wrong = items.find((item) => item !== '' && !isNetwork(item));
  if (wrong !== undefined)
    throw new SettingError(`${name}: ${JSON.stringify(wrong)} is not an address or CIDR.`);
  return items.filter((item) => item !== '');
}

function isNetwork(text: string): boolean {
  const [address = '', prefix = '0', ...rest] = text.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  // isIP accepts a zone such as %eth0, which these settings do not.
  const isAddress = isIP(address) !== 0 && !address.includes('%');
  return isAddress && rest.length === 0 && /^\d{1,3}$/.test(prefix) && +prefix <= bits;
}

function url(text: string | null): string | null {
  if (text === null) return null;
  const read = URL.parse(text);
  if (read === null || !/^https?:$/.test(read.protocol))
    throw new SettingError('KEYWARD_PUBLIC_URL must be an http or https URL.');
  // It is part of links that everybody sees.
  if (read.username !== '' || read.password !== '')
    throw new SettingError('KEYWARD_PUBLIC_URL must have no user name and no password.');
  return read.href.replace(/\/+$/, '');
}
