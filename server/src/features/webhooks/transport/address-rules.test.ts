import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { ALLOW_NONE, decideAddress, parseAllowList } from './address-rules.ts';

const REFUSED = {
  unspecified: ['::', '0.0.0.0', '0.0.0.1', '0.255.255.255'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0'],
  'carrier-grade NAT': ['100.64.0.0', '100.100.100.200', '100.127.255.255'],
  loopback: ['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1'],
  'platform address': ['168.63.129.16'],
  'link-local': ['169.254.0.0', '169.254.169.254', 'fe80::', 'febf:ffff::1'],
  '6to4': ['2002::', '2002:7f00:1::', '2002:ffff::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff00::', 'ff02::1'],
  reserved: [
    ...['240.0.0.1', '255.255.255.255'],
    // For protocol assignments.
    ...['192.0.0.0', '192.0.0.192', '192.0.0.255', '2001:1::1', '2001:1ff::'],
    // For documentation.
    ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1', '3fff:fff::'],
    // For 6to4 relays, benchmarks, discarding and segment routing.
    ...['192.88.99.1', '198.18.0.0', '198.19.255.255', '100::', '100::ffff', '5f00::1'],
  ],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '0:0:0:0:0:ffff:808:808'],
  // The library reads the old IPv4-compatible form as a mapped one; either way it is refused.
  'IPv4-mapped address': ['::127.0.0.1', '::8.8.8.8'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '64:ff9b:1:ffff::1'],
  Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'private address': ['fc00::', 'fd00:ec2::254', 'fdff:ffff::1'],
  'site-local': ['fec0::1', 'feff::1'],
  'outside 2000::/3': [
    ...['::2', '::7f00:1', 'ff:ffff::', '101::1', '1fff::1', '4000::1', '8000::1', 'fe00::1'],
  ],
  'zone id': ['fe80::1%eth0', '::1%lo', '2606:4700::1111%1'],
  'no IP address': [
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '[::1]',
    ' ',
  ],
};

const PUBLIC = [
  ...[
    '1.0.0.0',
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
  ],
  ...['126.255.255.255', '128.0.0.0', '168.63.129.15', '169.253.255.255', '169.255.0.0'],
  ...[
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
  ],
  ...['198.20.0.0', '223.255.255.255', '2000::1', '2001:200::1', '2001:4860:4860::8888', '2003::1'],
  ...['2606:4700:4700::1111', '2a00:1450:4001::200e', '3ffe::1', '3fff:1000::1'],
];

describe('an address that is not public', () => {
  for (const [reason, addresses] of Object.entries(REFUSED))
    it.each(addresses)(`is rejected: %s (${reason})`, (address) => {
      const verdict = decideAddress(address, ALLOW_NONE);
      expect(verdict).toEqual({ kind: 'refused', reason: expect.stringContaining(reason) });
    });
});

/** IANA's special-purpose registries, written out: what the library must at least know. */
const SPECIAL_RANGES = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32'],
  ...['169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4'],
  ...['240.0.0.0/4', '::/8', '::/128', '::1/128', '::ffff:0:0/96', '64:ff9b::/96'],
  ...['64:ff9b:1::/48', '100::/64', '2001::/32', '2001::/23', '2001:db8::/32', '2002::/16'],
  ...['3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];

describe('the special-purpose range', () => {
  it.each(SPECIAL_RANGES)('%s is rejected from its first to its last address', (range) => {
    const family = isIPv6(range.split('/')[0]!) ? ipaddr.IPv6 : ipaddr.IPv4;
    const first = family.networkAddressFromCIDR(range).toByteArray();
    const last = family.broadcastAddressFromCIDR(range).toByteArray();
    const anywhere = first.map((_, n) => fc.integer({ min: first[n]!, max: last[n]! }));
    const verdict = (bytes: number[]) =>
      decideAddress(ipaddr.fromByteArray(bytes).toString(), ALLOW_NONE).kind;
    expect([verdict(first), verdict(last)]).toEqual(['refused', 'refused']);
    fc.assert(fc.property(fc.tuple(...anywhere), (bytes) => verdict(bytes) === 'refused'));
  });
});

it.each(PUBLIC)('accepts %s as public', (address) => {
  expect(decideAddress(address, ALLOW_NONE)).toEqual({ kind: 'public' });
});

it('rejects every IPv6 address that embeds an IPv4 address', () => {
  fc.assert(
    fc.property(fc.ipV4(), (inner) => {
      const hex = inner
        .split('.')
        .map((part) => Number(part).toString(16).padStart(2, '0'))
        .join('');
      const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
      for (const outer of [
        `::ffff:${inner}`,
        `::${inner}`,
        `::ffff:0:${inner}`,
        `64:ff9b::${groups}`,
        `2002:${groups}::1`,
      ])
        expect(decideAddress(outer, ALLOW_NONE).kind).toBe('refused');
    }),
  );
});

it('never throws for any text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4Extended(), fc.ipV6()), (text) => {
      expect(() => decideAddress(text, ALLOW_NONE)).not.toThrow();
    }),
  );
});

describe('the allow list', () => {
  it('allows the addresses of its ranges, and no other that is not public', () => {
    const allow = parseAllowList(' 127.0.0.0/8 ,fd00::/8, 10.1.2.3 ');
    expect(allow.isEmpty).toBe(false);
    for (const inside of ['127.0.0.1', '127.9.9.9', 'fd12::1', '10.1.2.3'])
      expect(decideAddress(inside, allow).kind).toBe('allowed');
    for (const outside of ['10.1.2.4', '192.168.0.1', '::1', 'fc00::1', '169.254.169.254'])
      expect(decideAddress(outside, allow).kind).toBe('refused');
    expect(decideAddress('8.8.8.8', allow).kind).toBe('public');
  });

  it('does not allow other forms of an allowed IPv4 address', () => {
    const allow = parseAllowList('127.0.0.0/8');
    for (const form of ['::ffff:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '::127.0.0.1'])
      expect(decideAddress(form, allow).kind).toBe('refused');
  });

  it('allows one address for an entry without a prefix length, or with the longest', () => {
    const allow = parseAllowList('fd00::1,10.0.0.1,fd01::/128,10.1.0.0/32');
    for (const inside of ['fd00::1', '10.0.0.1', 'fd01::', '10.1.0.0'])
      expect(decideAddress(inside, allow).kind).toBe('allowed');
    for (const outside of ['fd00::2', '10.0.0.2', 'fd01::1', '10.1.0.1'])
      expect(decideAddress(outside, allow).kind).toBe('refused');
  });

  it('allows no zone id', () => {
    expect(decideAddress('fe80::1%eth0', parseAllowList('fe80::/10')).kind).toBe('refused');
  });

  it.each(['', ' ', ',', ' , '])('is empty when the setting is %j', (text) => {
    expect(parseAllowList(text)).toBe(ALLOW_NONE);
    expect(ALLOW_NONE.isEmpty).toBe(true);
    expect(ALLOW_NONE.matches('127.0.0.1')).toBe(false);
    expect(decideAddress('127.0.0.1', parseAllowList(text)).kind).toBe('refused');
  });

  it.each([
    ...[
      'localhost',
      '127.0.0.1/33',
      '127.0.0.1/',
      '127.0.0.1/-1',
      '::1/129',
      '127.1/8',
      '1.2.3.4/8/8',
    ],
    ...['0x7f.0.0.1/8', 'fe80::1%eth0/64', '*', '127.0.0.1/8;::1', '127.0.0.1/1e1', '10.0.0.0/ 8'],
  ])('rejects the setting %j with an error that names it', (text) => {
    expect(() => parseAllowList(`10.0.0.0/8,${text}`)).toThrow(`${text} is not an address or CIDR`);
  });
});
