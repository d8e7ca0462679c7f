import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Agent } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ALLOW_NONE, parseAllowList } from '../../src/features/webhooks/transport/address-rules.ts';
import { createLookup } from '../../src/features/webhooks/transport/dns-lookup.ts';
import {
  createGuardedAgent,
  type WebhookAgent,
} from '../../src/features/webhooks/transport/guarded-agent.ts';
import { sendOnce } from '../../src/features/webhooks/transport/send.ts';
import { checkTarget } from '../../src/features/webhooks/transport/target.ts';
import { KeywardError } from '../../src/kernel/errors.ts';
import { startCanary } from './guard-canary.ts';
import { startDnsServer, type Zone } from './guard-dns-server.ts';

/**
 * Attempts to make the service send requests into its own network. A canary listens on every
 * address of this machine. Each target is registered, and also sent to as if it had been accepted.
 */

/** Spellings that reach this machine without the guard, as the test of an unguarded agent shows. */
const LOCAL_HOSTS = [
  ...[
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '127.00.00.01',
    '127.255.255.254',
    '127.9.8.7',
  ],
  ...['2130706433', '017700000001', '0x7f000001', '0x7F.0.0.1', '0x7f.1', '0177.0.0.1', '0177.1'],
  ...[
    '127.0x0.0.1',
    '0.0.0.0',
    '0',
    '0x0',
    '00000.0',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
  ],
  ...['[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:127.0.0.1]'],
  ...[
    '１２７.０.０.１',
    '127。0。0。1',
    '①②⑦.⓪.⓪.①',
    '127.0.0.1\u00ad',
    '%31%32%37.0.0.1',
    '127%2e0.0.1',
  ],
  ...['localhost', 'LocalHost', 'ｌｏｃａｌｈｏｓｔ', 'loca\u00adlhost', 'user@127.0.0.1'],
  ...['user:pass@127.0.0.1', 'example.com@127.0.0.1', 'example.com:443@127.0.0.1', '@127.0.0.1'],
  ...ownAddresses(),
];

/** Other internal hosts: on this machine they may lead nowhere, but they could on another. */
const INTERNAL_HOSTS = [
  ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '[fd00:ec2::254]', '100.64.0.1'],
  ...['100.100.100.200', '192.0.0.192', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.51.100.1'],
  ...['203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '168.63.129.16', '2852039166'],
  ...['[::127.0.0.1]', '[::7f00:1]', '[64:ff9b::7f00:1]', '[64:ff9b::127.0.0.1]', '[64:ff9b:1::1]'],
  ...['[2002:7f00:1::]', '[2001:0:7f00:1::]', '[fe80::1]', '[fec0::1]', '[fc00::1]', '[ff02::1]'],
  ...['[100::1]', '[2001:db8::1]', '[3fff::1]', '[5f00::1]', '[::ffff:0:127.0.0.1]', '[4000::1]'],
  ...['[fe80::1%25lo]', '[fe80::1%lo]', '[::1%25lo]', '[::1%lo]', 'localhost.', 'a.localhost'],
  ...['printer.local', 'metadata.google.internal', 'metadata', '1.2.3.4.5', '256.256.256.256'],
];

/** Other malformed or unusual URLs. */
const ODD_URLS = [
  ...['ftp://127.0.0.1:{port}/', 'file:///etc/passwd', 'gopher://127.0.0.1:{port}/_x', 'unix:/x'],
  ...['ws://127.0.0.1:{port}/', 'dict://127.0.0.1:{port}/', 'ldap://127.0.0.1:{port}/', 'data:,x'],
  ...[
    'javascript:fetch("//127.0.0.1:{port}")',
    'blob:http://127.0.0.1:{port}/x',
    '//127.0.0.1:{port}/',
  ],
  ...[
    'http:127.0.0.1:{port}/',
    'http:/127.0.0.1:{port}/',
    'http:\\\\127.0.0.1:{port}\\',
    'ht\ntp://127.0.0.1:{port}/',
  ],
  ...[
    ' http://127.0.0.1:{port}/',
    'http://127.0.0.1:{port}\\@example.com/',
    'http://127.0.0.1:{port}#@example.com/',
  ],
  ...['http://example.com\\@127.0.0.1:{port}/', 'http://[::1:{port}/', 'http://127.0.0.1:0{port}/'],
];

/** Names under .example.com with their A and AAAA records. */
const NAMES: Record<string, readonly [a: string[], aaaa: string[]]> = {
  loopback: [['127.0.0.1'], []],
  'loopback-six': [[], ['::1']],
  unspecified: [['0.0.0.0'], ['::']],
  metadata: [['169.254.169.254'], []],
  'mixed-last': [['8.8.8.8', '127.0.0.1'], []],
  'mixed-first': [['127.0.0.1', '8.8.8.8'], []],
  'mixed-many': [[...Array<string>(12).fill('8.8.8.8'), '127.0.0.1'], []],
  'mixed-families': [['8.8.8.8'], ['::1']],
  mapped: [[], ['::ffff:7f00:1']],
  nat64: [[], ['64:ff9b::7f00:1']],
  '6to4': [[], ['2002:7f00:1::']],
  compatible: [[], ['::7f00:1']],
};

const zone: Zone = (name, kind) => {
  const [a, aaaa] = NAMES[name.replace('.example.com', '')] ?? [[], []];
  return kind === 'A' ? a : aaaa;
};

let canary: Awaited<ReturnType<typeof startCanary>>;
let dns: Awaited<ReturnType<typeof startDnsServer>>;
const agents: WebhookAgent[] = [];

beforeAll(async () => {
  canary = await startCanary();
  dns = await startDnsServer(zone);
});

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.destroy();
});

afterAll(async () => {
  await canary.stop();
  await dns.stop();
});

function guarded(allow = ALLOW_NONE): WebhookAgent {
  const lookup = createLookup([dns.server]);
  const timeouts = { connectTimeoutMs: 60_000, dnsTimeoutMs: 60_000 };
  const agent = createGuardedAgent({ allow, ...timeouts, lookup });
  agents.push(agent);
  return agent;
}

function attempt(agent: WebhookAgent, url: string) {
  const message = { method: 'POST', headers: {}, body: '{}', deadlineMs: 240_000, now: 0 } as const;
  return sendOnce({ agent, url, ...message });
}

function registrationErrorOf(url: string): KeywardError | null {
  try {
    checkTarget(url, ALLOW_NONE);
    return null;
  } catch (error) {
    if (error instanceof KeywardError) return error;
    throw error;
  }
}

function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.filter((own) => own.family === 'IPv4' && !own.internal).map((own) => own.address);
}

const withPort = (url: string) => url.replace('{port}', String(canary.port));
const both = (host: string) => [`http://${host}:{port}/`, `https://${host}:{port}/`];

describe('targets inside the network', () => {
  const targets = [...[...LOCAL_HOSTS, ...INTERNAL_HOSTS].flatMap(both), ...ODD_URLS];

  it('cover more than 60 hosts, names and URLs', () => {
    expect(
      new Set([...LOCAL_HOSTS, ...INTERNAL_HOSTS, ...ODD_URLS, ...Object.keys(NAMES)]).size,
    ).toBeGreaterThan(60);
  });

  it.each(targets)(
    '%j is rejected at registration, and no attempt reaches it',
    async (template) => {
      const before = canary.state.connections;
      const url = withPort(template);
      const error = registrationErrorOf(url);
      expect(error).toMatchObject({ status: 400, code: 'invalid_body' });
      expect(error?.message).toMatch(/^url .+\.$/);
      const result = await attempt(guarded(), url);
      expect(result).toMatchObject({ outcome: 'failed', statusCode: null });
      expect(canary.state.connections).toBe(before);
    },
  );

  it.each(Object.keys(NAMES).flatMap((name) => both(`${name}.example.com`)))(
    'no attempt reaches %s, and the error does not contain its addresses',
    async (template) => {
      const before = canary.state.connections;
      const result = await attempt(guarded(), withPort(template));
      expect(result).toMatchObject({ outcome: 'failed', statusCode: null });
      expect(result.error).toMatch(/address that is not public|plain http is only sent/);
      expect(result.error).not.toMatch(/\d|::/);
      expect(canary.state.connections).toBe(before);
    },
  );

  it('cause no connection to the canary', () => {
    expect(canary.state).toEqual({ connections: 0, bytes: 0 });
  });
});

describe('a receiver that redirects to an internal address', () => {
  it.each([301, 302, 303, 307, 308])('with %i is not followed', async (status) => {
    const before = canary.state.connections;
    for (const location of both('127.0.0.1').concat(both('[::1]'), '//127.0.0.1:{port}/')) {
      const receiver = createServer((socket) => {
        const headers = `location: ${withPort(location)}\r\nrefresh: 0;url=${withPort(location)}\r\n`;
        const more = `alt-svc: h2="127.0.0.1:${canary.port}"\r\ncontent-length: 0\r\n`;
        socket.once('data', () => socket.end(`HTTP/1.1 ${status} X\r\n${headers}${more}\r\n`));
      }).listen(0, '::1');
      await once(receiver, 'listening');
      const { port } = receiver.address() as AddressInfo;
      // The address of the canary is allowed too: a redirect is not followed even to there.
      const agent = guarded(parseAllowList('::1, 127.0.0.1'));
      const result = await attempt(agent, `http://[::1]:${port}/`);
      receiver.close();
      expect(result).toMatchObject({ outcome: 'failed', statusCode: status });
    }
    expect(canary.state.connections).toBe(before);
  });
});

describe('the test itself', () => {
  it.each(LOCAL_HOSTS)('an unguarded agent reaches the canary through %s', async (host) => {
    const before = canary.state.connections;
    const agent = new Agent();
    agents.push(agent);
    await attempt(agent, withPort(`http://${host}:{port}/`));
    expect(canary.state.connections).toBeGreaterThan(before);
  });

  it.each([
    ...['http://127.0.0.1:{port}/', 'http://[::1]:{port}/', 'http://localhost:{port}/'],
    ...['http://loopback.example.com:{port}/', 'http://loopback-six.example.com:{port}/'],
  ])('the guard allows %s if the operator allows it', async (template) => {
    const allow = parseAllowList('127.0.0.0/8, ::1');
    const url = withPort(template);
    expect(checkTarget(url, allow)).toMatch(/^http:/);
    const result = await attempt(guarded(allow), url);
    expect(result).toMatchObject({ outcome: 'delivered', responseBody: 'canary' });
  });
});
