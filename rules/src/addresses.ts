/**
 * The 128 bits of an IP address as four 32-bit integers; IPv4 as its IPv4-mapped form, so that both
 * forms of it are equal. A typed array would take ten times as long to create.
 */
export type Address = readonly [number, number, number, number];

export interface AddressRange {
  readonly address: Address;
  /** Of the 128 bits. */
  readonly prefix: number;
}

/** The longest text of an address: eight groups, the last two as IPv4. */
const ADDRESS_LENGTH_MAX = 45;

const MAPPED = '::ffff:';
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9A-Fa-f]{1,4}$/;

/** Reads a bare address: no port, no zone, no brackets. Null if it is not one. */
export function parseAddress(text: string): Address | null {
  if (text.length > ADDRESS_LENGTH_MAX) return null;
  if (!text.includes(':')) return mappedAddress(ipv4Bits(text));
  // Sockets that accept both versions report an IPv4 client in this form.
  const ipv4 = text.startsWith(MAPPED) ? ipv4Bits(text.slice(MAPPED.length)) : null;
  return mappedAddress(ipv4) ?? ipv6Address(text);
}

/** Reads an address, or a range like `10.0.0.0/8`. Null if it is neither. */
export function parseAddressRange(text: string): AddressRange | null {
  const slash = text.indexOf('/');
  const address = parseAddress(slash === -1 ? text : text.slice(0, slash));
  if (address === null) return null;
  if (slash === -1) return { address, prefix: 128 };
  const length = text.slice(slash + 1);
  const isIPv4 = !text.includes(':');
  const most = isIPv4 ? 32 : 128;
  if (!PREFIX_LENGTH.test(length) || Number(length) > most) return null;
  return { address, prefix: Number(length) + (isIPv4 ? 96 : 0) };
}

export function isInRange(address: Address, { address: network, prefix }: AddressRange): boolean {
  for (let n = 0, bits = prefix; bits > 0; n++, bits -= 32) {
    const mask = bits >= 32 ? -1 : -1 << (32 - bits);
    if (((address[n]! ^ network[n]!) & mask) !== 0) return false;
  }
  return true;
}

const mappedAddress = (bits: number | null): Address | null =>
  bits === null ? null : [0, 0, 0xffff, bits];

const ZERO = 48;
const DOT = 46;

/**
 * The bits of an IPv4 address; null if it is not one. Reads it character by character, because the
 * server does this for every request with an address, and splitting takes five times as long.
 */
function ipv4Bits(text: string): number | null {
  let bits = 0;
  let dots = 0;
  /** -1: no digit yet. */
  let byte = -1;
  for (let n = 0; n < text.length; n++) {
    const code = text.charCodeAt(n);
    if (code === DOT && byte !== -1) {
      bits = (bits << 8) | byte;
      byte = -1;
      dots++;
      continue;
    }
    const digit = code - ZERO;
    // Some programs read a number with a leading zero as octal.
    if (digit < 0 || digit > 9 || byte === 0) return null;
    byte = byte === -1 ? digit : byte * 10 + digit;
    if (byte > 255) return null;
  }
  return dots === 3 && byte !== -1 ? (bits << 8) | byte : null;
}

function ipv6Address(text: string): Address | null {
  const [head, tail, ...more] = text.split('::');
  const before = groupsOf(head!, tail === undefined);
  const after = tail === undefined ? [] : groupsOf(tail, true);
  if (more.length > 0 || before === null || after === null) return null;
  const gap = 8 - before.length - after.length;
  // `::` stands for at least one group.
  if (tail === undefined ? gap !== 0 : gap < 1) return null;
  const groups = [...before, ...new Array<number>(gap).fill(0), ...after];
  const word = (n: number) => (groups[n]! << 16) | groups[n + 1]!;
  return [word(0), word(2), word(4), word(6)];
}

/** Groups of 16 bits. The last one may be an IPv4 address if it ends the text. */
function groupsOf(text: string, isLast: boolean): number[] | null {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: number[] = [];
  for (const [n, part] of parts.entries()) {
    if (GROUP.test(part)) groups.push(Number.parseInt(part, 16));
    else {
      const bits = isLast && n === parts.length - 1 ? ipv4Bits(part) : null;
      if (bits === null) return null;
      groups.push(bits >>> 16, bits & 0xffff);
    }
  }
  return groups;
}

const MAPPED_IPV4 = 0xffff;

/** In its shortest form; IPv4 with dots. */
export function addressText([a, b, c, d]: Address): string {
  if (a === 0 && b === 0 && c === MAPPED_IPV4)
    return [24, 16, 8, 0].map((bits) => (d >>> bits) & 0xff).join('.');
  const groups = [a, b, c, d].flatMap((word) => [(word >>> 16) & 0xffff, word & 0xffff]);
  const text = groups.map((group) => group.toString(16)).join(':');
  // The parser of URLs writes addresses in their shortest form.
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}
