import { isIP } from 'node:net';
import {
  CLIENT_IP_NEEDS_PROXIES,
  DRAIN_SECONDS,
  DRAIN_SECONDS_MAX,
  HEADER_NAME,
  readNetworks,
  SettingError,
} from '../app/config.ts';

/** Where an edge listens: TCP, or a Unix socket. */
export type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly path: string };

export interface EdgeSettings {
  readonly upstreamUrl: string;
  readonly accessKey: string;
  /** How long a request waits for the server. */
  readonly timeoutMs: number;
  readonly listen: ListenAddress;
  readonly processes: number;
  readonly isTrusting: boolean;
  /** How long known keys are served while the server is unreachable; null: not at all. */
  readonly staleMs: number | null;
  /** How long SIGTERM waits for load balancers to notice that the edge is no longer ready. */
  readonly drainMs: number;
  readonly trustedProxies: readonly string[];
  /** The header with the address of a gateway's user, from a trusted proxy. */
  readonly clientIPHeader: string | null;
  readonly logLevel: string;
}

/** The options of `npx keyward edge`, as given. */
export interface EdgeOptions {
  readonly upstream?: string | undefined;
  readonly 'access-key'?: string | undefined;
  readonly 'timeout-seconds'?: string | undefined;
  readonly listen?: string | undefined;
  readonly processes?: string | undefined;
  readonly trust?: boolean | undefined;
  readonly 'on-unavailable'?: string | undefined;
  readonly 'stale-seconds'?: string | undefined;
  readonly 'drain-seconds'?: string | undefined;
  readonly 'trusted-proxies'?: string | undefined;
  readonly 'client-ip-header'?: string | undefined;
}

/** A validation that waits longer is of no use to most callers of an API. */
const DEFAULT_TIMEOUT_SECONDS = '1';
const TIMEOUT_SECONDS_MAX = 300;
const DEFAULT_LISTEN = '127.0.0.1:8090';
const PROCESSES_MAX = 64;
const STALE_SECONDS_MAX = 86_400;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export function readEdgeSettings(options: EdgeOptions, env: NodeJS.ProcessEnv): EdgeSettings {
  const upstreamUrl = options.upstream ?? env.KEYWARD_UPSTREAM_URL;
  const accessKey = options['access-key'] ?? env.KEYWARD_ACCESS_KEY;
  if (!upstreamUrl)
    throw new SettingError(
      'Set --upstream or KEYWARD_UPSTREAM_URL to the address of the server, such as https://keys.example.com.',
    );
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(upstreamUrl))
    throw new SettingError(
      'KEYWARD_UPSTREAM_URL must be an http or https address without user, query or fragment.',
    );
  if (!accessKey)
    throw new SettingError(
      'Set KEYWARD_ACCESS_KEY or --access-key to an access key with the scope keys:validate.',
    );
  if (!/^[\x21-\x7e]+$/.test(accessKey))
    throw new SettingError(
      'KEYWARD_ACCESS_KEY contains characters that no access key has, such as spaces or line breaks.',
    );
  const timeoutSeconds = integer(
    'KEYWARD_UPSTREAM_TIMEOUT_SECONDS',
    options['timeout-seconds'] ?? env.KEYWARD_UPSTREAM_TIMEOUT_SECONDS ?? DEFAULT_TIMEOUT_SECONDS,
    TIMEOUT_SECONDS_MAX,
  );
  const listen = readListen(options.listen ?? env.KEYWARD_EDGE_LISTEN ?? DEFAULT_LISTEN);
  const processes = integer('--processes', options.processes ?? '1', PROCESSES_MAX);
  if (processes > 1 && 'path' in listen)
    throw new SettingError('--processes needs a TCP address: a Unix socket has one process.');
  if (processes > 1 && 'port' in listen && listen.port === 0)
    throw new SettingError(
      '--processes needs a port: with port 0, each process would have its own.',
    );
  const isTrusting = options.trust ?? false;
  if (isTrusting && !('path' in listen || isLoopback(listen.host)))
    throw new SettingError(
      '--trust needs a Unix socket or a loopback address: everyone who can connect may validate.',
    );
  const seconds = integer(
    'KEYWARD_STALE_SECONDS',
    options['stale-seconds'] ?? env.KEYWARD_STALE_SECONDS ?? '60',
    STALE_SECONDS_MAX,
  );
  const drainSeconds = integer(
    'KEYWARD_DRAIN_SECONDS',
    options['drain-seconds'] ?? env.KEYWARD_DRAIN_SECONDS ?? DRAIN_SECONDS,
    DRAIN_SECONDS_MAX,
    0,
  );
  const policy = options['on-unavailable'] ?? 'deny';
  if (policy !== 'deny' && policy !== 'serve-known')
    throw new SettingError('--on-unavailable must be deny or serve-known.');
  const trustedProxies = readNetworks(
    'KEYWARD_TRUSTED_PROXIES',
    options['trusted-proxies'] ?? env.KEYWARD_TRUSTED_PROXIES ?? '',
  );
  const clientIPHeader = options['client-ip-header'] ?? env.KEYWARD_CLIENT_IP_HEADER ?? null;
  if (clientIPHeader !== null && !HEADER_NAME.test(clientIPHeader))
    throw new SettingError(
      'KEYWARD_CLIENT_IP_HEADER must be the name of a header, like X-Forwarded-For.',
    );
  if (clientIPHeader !== null && trustedProxies.length === 0)
    throw new SettingError(CLIENT_IP_NEEDS_PROXIES);
  const logLevel = env.KEYWARD_LOG_LEVEL ?? 'info';
  if (!LOG_LEVELS.includes(logLevel))
    throw new SettingError(`KEYWARD_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`);
  return {
    upstreamUrl: upstreamUrl.replace(/\/+$/, ''),
    accessKey,
    timeoutMs: timeoutSeconds * 1000,
    listen,
    processes,
    isTrusting,
    staleMs: policy === 'deny' ? null : seconds * 1000,
    drainMs: drainSeconds * 1000,
    trustedProxies,
    clientIPHeader,
    logLevel,
  };
}

/** Text with a slash is the path of a Unix socket. */
function readListen(text: string): ListenAddress {
  if (text.includes('/')) return { path: text };
  const [, host = '', port = ''] = /^(.*):(\d{1,5})$/.exec(text) ?? [];
  const name = host.replace(/^\[(.*)\]$/, '$1');
  if (name === '' || Number(port) > 65_535)
    throw new SettingError(
      `--listen must be host:port, like ${DEFAULT_LISTEN}, or the path of a Unix socket.`,
    );
  return { host: name, port: Number(port) };
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

function integer(name: string, text: string, max: number, min = 1): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new SettingError(`${name} must be a whole number from ${min} to ${max}.`);
  return value;
}
