import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressText, isInRange, parseAddress, parseAddressRange } from './addresses.ts';

const ipv4OfBits = (bits: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join('.');

/** The bits of a valid address, written out in the simplest way. IPv4 is mapped to IPv6. */
function bitsByModel(text: string): bigint {
  if (!text.includes(':'))
    return text.split('.').reduce((bits, part) => bits * 256n + BigInt(part), 0xffffn);
  // An IPv4 address at the end becomes two groups.
  const hex = text.replace(/[\d.]+$/, (end) => {
    if (!end.includes('.')) return end;
    const bits = end.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
    return `${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;
  });
  const [before = [], after] = hex
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = after ? new Array<string>(8 - before.length - after.length).fill('0') : [];
  return [...before, ...zeros, ...(after ?? [])].reduce(
    (bits, group) => bits * 65_536n + BigInt(`0x${group}`),
    0n,
  );
}

const isInRangeByModel = (address: string, network: string, prefix: number): boolean => {
  const ignored = BigInt(network.includes(':') ? 128 - prefix : 32 - prefix);
  return bitsByModel(address) >> ignored === bitsByModel(network) >> ignored;
};

const bitsOf = (text: string): bigint | null => {
  const words = parseAddress(text);
  return words?.reduce((bits, word) => (bits << 32n) | BigInt(word >>> 0), 0n) ?? null;
};

const mappedIpv4 = fc.ipV4().map((text) => `::ffff:${text}`);
const address = fc.oneof(fc.ipV4(), fc.ipV6(), mappedIpv4);

/** Addresses with a character removed, inserted or repeated: many of them are nearly valid. */
const nearlyAddress = fc
  .tuple(address, fc.nat(), fc.constantFrom('', ':', '::', '.', '0', '1', 'f', 'g', '%', '/', ' '))
  .map(([text, at, inserted]) => {
    const start = at % (text.length + 1);
    return text.slice(0, start) + inserted + text.slice(start + (inserted === '' ? 1 : 0));
  });

describe('address', () => {
  it('is parsed if Node parses it, except for zones', () => {
    fc.assert(
      fc.property(fc.oneof(address, nearlyAddress, fc.string()), (text) => {
        const isAddress = isIP(text) !== 0 && !text.includes('%');
        expect(parseAddress(text) !== null, text).toBe(isAddress);
        if (isAddress) expect(bitsOf(text)).toBe(bitsByModel(text));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '1.2.3.04',
    '01.2.3.4',
    '1..3.4',
    '.1.2.3',
    '1.2.3.',
    '1.2.3.-4',
    '1.2.3.4 ',
    '1.2.3.4:80',
    '[::1]',
    '[::1]:80',
    'fe80::1%eth0',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '::1.2.3',
    '1:2:3:4:5:6:7:1.2.3.4',
    'localhost',
    '0x1.2.3.4',
    '１.2.3.4',
    `${'0'.repeat(46)}::1`,
  ])('is not %o', (text) => {
    expect(parseAddress(text)).toBeNull();
    expect(parseAddressRange(text)).toBeNull();
  });

  it('is the same in all its forms', () => {
    const forms = [
      '203.0.113.7',
      '::ffff:203.0.113.7',
      '::FFFF:cb00:7107',
      '0:0:0:0:0:ffff:cb00:7107',
    ];
    for (const form of forms) expect(bitsOf(form), form).toBe(0xffffcb007107n);
    expect(bitsOf('2001:DB8::1')).toBe(bitsOf('2001:0db8:0:0:0:0:0:1'));
    expect(bitsOf('1:2:3:4:5:6:7::')).toBe(bitsOf('1:2:3:4:5:6:7:0'));
  });
});

describe('range', () => {
  /** A range, and an address that differs from its network in the last bits only. */
  const ipv4Case = fc.tuple(fc.ipV4(), fc.nat(32), fc.nat(32), fc.bigInt(0n, 0xffffffffn));
  const ipv6Case = fc.tuple(fc.ipV6(), fc.nat(128), fc.nat(128), fc.bigInt(0n, 2n ** 128n - 1n));

  it('contains IPv4 addresses as a model and as Node do, in both forms', () => {
    fc.assert(
      fc.property(ipv4Case, ([network, prefix, common, random]) => {
        const other = (bitsByModel(network) & 0xffffffffn) ^ (random >> BigInt(common));
        const near = ipv4OfBits(other);
        const range = parseAddressRange(`${network}/${prefix}`)!;
        const expected = isInRangeByModel(near, network, prefix);
        const list = new BlockList();
        list.addSubnet(network, prefix, 'ipv4');
        expect(list.check(near, 'ipv4')).toBe(expected);
        expect(isInRange(parseAddress(near)!, range)).toBe(expected);
        expect(isInRange(parseAddress(`::ffff:${near}`)!, range)).toBe(expected);
        const mapped = parseAddressRange(`::ffff:${network}/${prefix + 96}`)!;
        expect(isInRange(parseAddress(near)!, mapped)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('contains IPv6 addresses as a model and as Node do', () => {
    fc.assert(
      fc.property(ipv6Case, ([network, prefix, common, random]) => {
        const bits = bitsByModel(network) ^ (random >> BigInt(common));
        const near = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n]
          .map((shift) => ((bits >> shift) & 0xffffn).toString(16))
          .join(':');
        const expected = isInRangeByModel(near, network, prefix);
        const list = new BlockList();
        list.addSubnet(network, Math.max(prefix, 1), 'ipv6');
        if (prefix > 0) expect(list.check(near, 'ipv6')).toBe(expected);
        expect(isInRange(parseAddress(near)!, parseAddressRange(`${network}/${prefix}`)!)).toBe(
          expected,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('without a length contains only its address', () => {
    const range = parseAddressRange('10.0.0.1')!;
    expect(isInRange(parseAddress('10.0.0.1')!, range)).toBe(true);
    expect(isInRange(parseAddress('10.0.0.0')!, range)).toBe(false);
    expect(isInRange(parseAddress('::10.0.0.1')!, range)).toBe(false);
  });

  it('of all IPv4 addresses contains no IPv6 address, but the range of all IPv6 addresses contains IPv4', () => {
    const [everyIPv4, everything] = [parseAddressRange('0.0.0.0/0')!, parseAddressRange('::/0')!];
    expect(isInRange(parseAddress('255.255.255.255')!, everyIPv4)).toBe(true);
    expect(isInRange(parseAddress('2001:db8::1')!, everyIPv4)).toBe(false);
    expect(isInRange(parseAddress('1.2.3.4')!, everything)).toBe(true);
  });

  it.each([
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/8.0',
    '10.0.0.0/1e1',
    '10.0.0/8',
    '/8',
    '::/129',
    '::/ 1',
    '10.0.0.0 /8',
  ])('is not %o', (text) => expect(parseAddressRange(text)).toBeNull());
});

it.each([
  ['192.0.2.255', '192.0.2.255'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['::', '::'],
  ['ff02::1:ff00:a', 'ff02::1:ff00:a'],
])('%s is written as %s', (text, shortest) => {
  expect(addressText(parseAddress(text)!)).toBe(shortest);
});
