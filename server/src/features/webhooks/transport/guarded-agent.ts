import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { type AllowList, decideAddress } from './address-rules.ts';
import { createLookup, type Lookup } from './dns-lookup.ts';
import { GuardError } from './errors.ts';

const DNS_TIMEOUT_MS = 3000;
const HEADER_BYTES_MAX = 16 * 1024;
const KEEP_ALIVE_MS_MAX = 30_000;

/** A name may have dozens of addresses; after three that do not respond, the attempt has failed. */
const ADDRESSES_TRIED_MAX = 3;

/** Sends requests to webhooks. */
export interface WebhookAgent {
  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
  /** Closes all connections, also those with a request in progress. */
  destroy(): Promise<void>;
}

export interface GuardOptions {
  readonly allow: AllowList;
  /** Time for TCP, and again for TLS, after the DNS lookup. Divided among the addresses that are tried. */
  readonly connectTimeoutMs: number;
  readonly dnsTimeoutMs?: number;
  /** For tests with their own name server. */
  readonly lookup?: Lookup;
}

/**
 * All deliveries are sent through this agent. It resolves a name once, checks the addresses and
 * connects to one of them, so a name cannot resolve differently between check and use. A kept-alive
 * connection was checked when it was made. Proxies from the environment are ignored, since a proxy
 * would resolve names again, unchecked.
 */
export function createGuardedAgent(options: GuardOptions): WebhookAgent {
  let agent: Promise<Agent> | undefined;
  let isDestroyed = false;
  return {
    async request(request) {
      if (isDestroyed) throw new GuardError('the server is stopping');
      agent ??= createAgent(options);
      return (await agent).request(request);
    },
    async destroy() {
      isDestroyed = true;
      await (await agent)?.destroy();
    },
  };
}

/** Loads undici, a megabyte of code that a server without webhooks never needs. */
async function createAgent(options: GuardOptions): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({
    connect: (target, callback) => {
      connectGuarded(target, options).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    },
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveMaxTimeout: KEEP_ALIVE_MS_MAX,
  });
}

async function connectGuarded(
  target: buildConnector.Options,
  options: GuardOptions,
): Promise<Socket> {
  const host = target.hostname.replace(/\.$/, '');
  const isPlainHttp = target.protocol !== 'https:';
  const port = Number(target.port || (isPlainHttp ? 80 : 443));
  const addresses = await permittedAddresses(host, isPlainHttp, options);
  const tried = addresses.slice(0, ADDRESSES_TRIED_MAX);
  const timeoutMs = Math.ceil(options.connectTimeoutMs / tried.length);
  let failure: unknown;
  for (const address of tried) {
    try {
      const socket = await openTcp(address, port, timeoutMs);
      checkPeer(socket, isPlainHttp, options.allow);
      return isPlainHttp ? socket : await startTls(socket, host, timeoutMs);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** All addresses of a name must be permitted: one private address rejects the name. */
async function permittedAddresses(
  host: string,
  isPlainHttp: boolean,
  options: GuardOptions,
): Promise<readonly string[]> {
  const { allow, lookup = createLookup(), dnsTimeoutMs = DNS_TIMEOUT_MS } = options;
  if (isLocalhost(host)) return localhostAddresses(allow);
  const addresses = isIP(host) === 0 ? await lookup(host, dnsTimeoutMs) : [host];
  if (addresses.length === 0) throw new GuardError('the name of the host has no address');
  for (const address of addresses) checkAddress(address, isPlainHttp, allow);
  return addresses;
}

/** `localhost` is not resolved by DNS (RFC 6761); the operator may have allowed its addresses. */
function localhostAddresses(allow: AllowList): readonly string[] {
  const addresses = ['127.0.0.1', '::1'].filter((address) => allow.matches(address));
  if (addresses.length === 0) throw new GuardError('the host has an address that is not public');
  return addresses;
}

const isLocalhost = (host: string): boolean => /(^|\.)localhost$/i.test(host);

function checkAddress(address: string, isPlainHttp: boolean, allow: AllowList): void {
  const { kind } = decideAddress(address, allow);
  if (kind === 'refused') throw new GuardError('the host has an address that is not public');
  if (isPlainHttp && kind !== 'allowed')
    throw new GuardError('plain http is only sent to addresses the operator allows');
}

/** Checks the address that the socket is really connected to, before anything is sent. */
function checkPeer(socket: Socket, isPlainHttp: boolean, allow: AllowList): void {
  try {
    checkAddress(socket.remoteAddress ?? '', isPlainHttp, allow);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function openTcp(address: string, port: number, timeoutMs: number): Promise<Socket> {
  const socket = connectTcp({ host: address, port, noDelay: true, keepAlive: true });
  await established(socket, 'connect', timeoutMs);
  return socket;
}

async function startTls(tcp: Socket, host: string, timeoutMs: number): Promise<Socket> {
  const socket = connectTls({
    socket: tcp,
    // The certificate must be for the name, not the address. A literal address cannot be sent in
    // SNI; the certificate is checked against `host` then.
    servername: isIP(host) === 0 ? host : '',
    host,
    ALPNProtocols: ['http/1.1'],
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
    rejectUnauthorized: true,
  });
  await established(socket, 'secureConnect', timeoutMs);
  return socket;
}

function established(socket: Socket, event: 'connect' | 'secureConnect', timeoutMs: number) {
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => socket.destroy(new GuardError('no connection was made in time')),
      timeoutMs,
    );
    // Never removed: an error before the first request has no other listener.
    socket.on('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      reject(new GuardError('the connection was closed while it was made'));
    });
    socket.once(event, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
