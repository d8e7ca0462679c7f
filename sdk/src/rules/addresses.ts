/** An IP address as 16 bytes; IPv4 as its IPv4-mapped form, so that both forms of it are equal. */
export type Address = Uint8Array;

export interface AddressRange {
  readonly address: Address;
  /** Of the 128 bits. */
  readonly prefix: number;
}

/** The longest text of an address: eight groups, the last two as IPv4. */
export const ADDRESS_LENGTH_MAX = 45;

const BYTE = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9A-Fa-f]{1,4}$/;
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** Reads a bare address: no port, no zone, no brackets. Null if it is not one. */
export function parseAddress(text: string): Address | null {
  if (text.length > ADDRESS_LENGTH_MAX) return null;
  const bytes = text.includes(':') ? ipv6Bytes(text) : ipv4Bytes(text);
  if (bytes === null) return null;
  return Uint8Array.from(bytes.length === 4 ? [...MAPPED, ...bytes] : bytes);
}

/** Reads an address, or a range like `10.0.0.0/8`. Null if it is neither. */
export function parseRange(text: string): AddressRange | null {
  const slash = text.indexOf('/');
  const address = parseAddress(slash === -1 ? text : text.slice(0, slash));
  if (address === null) return null;
  if (slash === -1) return { address, prefix: 128 };
  const length = text.slice(slash + 1);
  const isIPv4 = !text.includes(':');
  const most = isIPv4 ? 32 : 128;
  if (!BYTE.test(length) || Number(length) > most) return null;
  return { address, prefix: Number(length) + (isIPv4 ? 96 : 0) };
}

export const isInRange = (
  address: Address,
  { address: network, prefix }: AddressRange,
): boolean => {
  const whole = prefix >> 3;
  for (let n = 0; n < whole; n++) if (address[n] !== network[n]) return false;
  const rest = prefix & 7;
  return rest === 0 || (address[whole]! ^ network[whole]!) >> (8 - rest) === 0;
};

function ipv4Bytes(text: string): number[] | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => BYTE.test(part))) return null;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : null;
}

function ipv6Bytes(text: string): number[] | null {
  const [head, tail, ...more] = text.split('::');
  if (more.length > 0) return null;
  const before = groupBytes(head!, tail === undefined);
  if (tail === undefined) return before?.length === 16 ? before : null;
  const after = groupBytes(tail, true);
  if (before === null || after === null) return null;
  const gap = 16 - before.length - after.length;
  return gap < 2 ? null : [...before, ...new Array<number>(gap).fill(0), ...after];
}

/** Groups of hex digits. The last one may be an IPv4 address if it ends the text. */
function groupBytes(text: string, isLast: boolean): number[] | null {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes: number[] = [];
  for (const [n, group] of groups.entries()) {
    if (isLast && n === groups.length - 1 && group.includes('.')) {
      const ipv4 = ipv4Bytes(group);
      if (ipv4 === null) return null;
      bytes.push(...ipv4);
    } else if (GROUP.test(group)) {
      const number = Number.parseInt(group, 16);
      bytes.push(number >> 8, number & 0xff);
    } else return null;
  }
  return bytes;
}
