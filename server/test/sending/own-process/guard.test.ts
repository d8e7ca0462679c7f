import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
} from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseAllowList } from '../../../src/features/webhooks/transport/address-rules.ts';
import { createLookup } from '../../../src/features/webhooks/transport/dns-lookup.ts';
import { createGuardedAgent } from '../../../src/features/webhooks/transport/guarded-agent.ts';
import { sendOnce } from '../../../src/features/webhooks/transport/send.ts';
import { startCanary } from '../guard-canary.ts';
import { selfSigned } from '../guard-certificate.ts';
import { startDnsServer, type Zone } from '../guard-dns-server.ts';

const OK = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok';
const NOT_PUBLIC = 'the host has an address that is not public';
const UNRESOLVED = 'the name of the host could not be resolved';
const cleanUps: (() => unknown)[] = [];
const defaultAuthorities = getCACertificates('default');

beforeEach(() => {
  cleanUps.push(() => setDefaultCACertificates(defaultAuthorities));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Sends through a new guarded agent that resolves names with a new name server. */
async function attempt(
  url: string,
  allow: string,
  zone: Zone = () => [],
  timeouts: { connectTimeoutMs?: number; dnsTimeoutMs?: number } = {},
) {
  const dns = await startDnsServer(zone);
  const agent = createGuardedAgent({
    allow: parseAllowList(allow),
    connectTimeoutMs: 60_000,
    dnsTimeoutMs: 60_000,
    ...timeouts,
    lookup: createLookup([dns.server]),
  });
  const send = () =>
    sendOnce({ agent, url, method: 'POST', headers: {}, body: '{}', deadlineMs: 240_000, now: 0 });
  cleanUps.push(dns.stop, () => agent.destroy());
  return { result: await send(), sendAgain: send, queries: dns.queries };
}

async function listening(server: Server, host: string, port = 0): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  cleanUps.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function plainReceiver(host = '127.0.0.1') {
  const state = { requests: 0 };
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      state.requests++;
      socket.end(OK);
    });
  });
  return Object.assign(state, { port: await listening(server, host) });
}

async function tlsReceiver(certificate: { key: string; cert: string }) {
  const state = { requests: 0, servername: null as string | false | null };
  const server = createTlsServer(certificate, (socket) => {
    state.servername = socket.servername;
    socket.on('error', () => {});
    socket.once('data', () => {
      state.requests++;
      socket.end(OK);
    });
  });
  server.on('tlsClientError', () => {});
  return Object.assign(state, { port: await listening(server, '127.0.0.1') });
}

const trust = (cert: string) => setDefaultCACertificates([...defaultAuthorities, cert]);

describe('TLS', () => {
  const toLoopback: Zone = (_, kind) => (kind === 'A' ? ['127.0.0.1'] : []);

  it('verifies the name while connecting to the address', async () => {
    const certificate = selfSigned({ dns: 'hooks.example.com' });
    trust(certificate.cert);
    const receiver = await tlsReceiver(certificate);
    const url = `https://hooks.example.com.:${receiver.port}/`;
    const { result } = await attempt(url, '127.0.0.0/8', toLoopback);
    expect(result).toMatchObject({ outcome: 'delivered', responseBody: 'ok' });
    expect(receiver).toMatchObject({ requests: 1, servername: 'hooks.example.com' });
  });

  it('checks a literal address against the certificate, without a name', async () => {
    const certificate = selfSigned({ ip: '127.0.0.1' });
    trust(certificate.cert);
    const receiver = await tlsReceiver(certificate);
    const { result } = await attempt(`https://127.0.0.1:${receiver.port}/`, '127.0.0.0/8');
    expect(result.outcome).toBe('delivered');
    expect(receiver).toMatchObject({ requests: 1, servername: false });
  });

  it.each(['https://other.example.com', 'https://127.0.0.1'])(
    'sends nothing to %s when the certificate is for another host',
    async (origin) => {
      const certificate = selfSigned({ dns: 'hooks.example.com', ip: '127.0.0.9' });
      trust(certificate.cert);
      const receiver = await tlsReceiver(certificate);
      const { result } = await attempt(`${origin}:${receiver.port}/`, '127.0.0.0/8', toLoopback);
      expect(result).toMatchObject({
        outcome: 'failed',
        statusCode: null,
        error: 'the certificate is for another host',
      });
      expect(receiver.requests).toBe(0);
    },
  );

  it('sends nothing to an untrusted certificate, whatever the environment is set to', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const receiver = await tlsReceiver(selfSigned({ ip: '127.0.0.1' }));
    const { result } = await attempt(`https://127.0.0.1:${receiver.port}/`, '127.0.0.0/8');
    expect(result.outcome).toBe('failed');
    expect(result.error).toContain('the certificate is not trusted');
    expect(receiver.requests).toBe(0);
  });

  it('times out if a receiver never completes the handshake', async () => {
    const port = await listening(
      createTcpServer((socket) => cleanUps.push(() => socket.destroy())),
      '127.0.0.1',
    );
    const { result } = await attempt(`https://127.0.0.1:${port}/`, '127.0.0.0/8', undefined, {
      connectTimeoutMs: 500,
    });
    expect(result).toMatchObject({ outcome: 'failed', error: 'no connection was made in time' });
  });

  it('fails if a receiver speaks plain HTTP or closes the connection', async () => {
    const receiver = await plainReceiver();
    const { result } = await attempt(`https://127.0.0.1:${receiver.port}/`, '127.0.0.0/8');
    expect(result).toMatchObject({ outcome: 'failed', statusCode: null });
    const port = await listening(
      createTcpServer((socket) => socket.destroy()),
      '127.0.0.1',
    );
    const second = await attempt(`https://127.0.0.1:${port}/`, '127.0.0.0/8');
    expect(second.result).toMatchObject({ outcome: 'failed', statusCode: null });
  });
});

describe('names', () => {
  it('are resolved once per connection, and again for the next', async () => {
    const receiver = await plainReceiver('::1');
    const canary = await startCanary();
    cleanUps.push(canary.stop);
    // The first lookup returns an allowed address, every later one loopback.
    const rebinding: Zone = (_, kind, nth) =>
      kind === 'AAAA' ? (nth === 1 ? ['::1'] : []) : nth === 1 ? [] : ['127.0.0.1'];
    const url = `http://rebind.example.com:${receiver.port}/`;
    const { result, sendAgain, queries } = await attempt(url, '::1', rebinding);
    expect(result.outcome).toBe('delivered');
    expect(queries.toSorted()).toEqual(['A rebind.example.com', 'AAAA rebind.example.com']);
    expect(await sendAgain()).toMatchObject({ outcome: 'failed', error: NOT_PUBLIC });
    expect(queries).toHaveLength(4);
    expect(receiver.requests).toBe(1);
    expect(canary.state.connections).toBe(0);
  });

  it('fall back to the next address if the first does not answer', async () => {
    const receiver = await plainReceiver('::1');
    const both: Zone = (_, kind) => [kind === 'A' ? '127.0.0.1' : '::1'];
    const { result } = await attempt(
      `http://two.example.com:${receiver.port}/`,
      '127.0.0.1,::1',
      both,
    );
    expect(result.outcome).toBe('delivered');
  });

  it('resolve with one address family if the name server does not answer for the other', async () => {
    const receiver = await plainReceiver();
    const half: Zone = (_, kind) => (kind === 'A' ? ['127.0.0.1'] : null);
    const url = `http://half.example.com:${receiver.port}/`;
    let outcome = 'failed';
    // Tries again with more time if a slow machine did not even get the A record in time.
    for (let dnsTimeoutMs = 600; outcome === 'failed'; dnsTimeoutMs *= 4) {
      const { result } = await attempt(url, '127.0.0.1', half, { dnsTimeoutMs });
      if (result.outcome === 'failed') expect(result.error).toBe(UNRESOLVED);
      outcome = result.outcome;
    }
    expect(outcome).toBe('delivered');
  });

  it('fail if they have no address or the name server does not answer', async () => {
    const empty = await attempt('https://none.example.com/', '', () => []);
    expect(empty.result.error).toBe('the name of the host has no address');
    const silent = await attempt('https://silent.example.com/', '', () => null, {
      dnsTimeoutMs: 300,
    });
    expect(silent.result.error).toBe(UNRESOLVED);
  });

  it('time out, however many name servers are left', async () => {
    const silent = await Promise.all(Array.from({ length: 8 }, () => startDnsServer(() => null)));
    cleanUps.push(...silent.map((dns) => dns.stop));
    const lookup = createLookup(silent.map((dns) => dns.server));
    await expect(lookup('silent.example.com', 3_000)).rejects.toThrow('could not be resolved');
    expect(silent.at(-1)?.queries).toEqual([]);
  });

  it('under localhost are never queried, and connect only where the operator allows', async () => {
    const receiver = await plainReceiver('::1');
    for (const name of ['localhost', 'LOCALHOST.', 'hooks.localhost']) {
      const { result, queries } = await attempt(`http://${name}:${receiver.port}/`, '::1');
      expect(result.outcome).toBe('delivered');
      expect(queries).toEqual([]);
    }
    const { result } = await attempt(`http://localhost:${receiver.port}/`, '10.0.0.0/8');
    expect(result).toMatchObject({ outcome: 'failed', error: NOT_PUBLIC });
  });
});

describe('plain http', () => {
  it('is not sent to a public address, by name or literally', async () => {
    const error = 'plain http is only sent to addresses the operator allows';
    const literal = await attempt('http://8.8.8.8/', '127.0.0.0/8');
    expect(literal.result).toMatchObject({ outcome: 'failed', error });
    const zone: Zone = (_, kind) => (kind === 'A' ? ['8.8.8.8'] : []);
    const named = await attempt('http://hooks.example.com/', '127.0.0.0/8', zone);
    expect(named.result).toMatchObject({ outcome: 'failed', error });
  });
});

describe('the connection itself', () => {
  it.each([
    ['0.0.0.0', '0.0.0.0/8'],
    ['[::]', '::/128'],
  ])('is dropped unused when %s turns out to be loopback', async (host, allow) => {
    const canary = await startCanary();
    cleanUps.push(canary.stop);
    const { result } = await attempt(`http://${host}:${canary.port}/`, allow);
    expect(result).toMatchObject({ outcome: 'failed', statusCode: null, error: NOT_PUBLIC });
    expect(canary.state.bytes).toBe(0);
  });

  it('goes through no proxy of the environment', async () => {
    const proxy = await startCanary();
    cleanUps.push(proxy.stop);
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    const receiver = await plainReceiver();
    const { result } = await attempt(`http://127.0.0.1:${receiver.port}/`, '127.0.0.0/8');
    expect(result.outcome).toBe('delivered');
    expect(proxy.state.connections).toBe(0);
  });
});
