import { isIPv6 } from 'node:net';

/**
 * The start of an address: bytes of an IPv4 address, groups of an IPv6 address. One client has an IPv4 address, or
 * a /64 (4 groups).
 */
export function addressPrefix(
  address: string | null | undefined,
  bytes: number,
  groups: number,
): string {
  if (address === null || address === undefined) return '';
  if (!isIPv6(address)) return address.split('.').slice(0, bytes).join('.');
  if (address.includes('.'))
    return addressPrefix(address.slice(address.lastIndexOf(':') + 1), bytes, groups);
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, groups).join(':');
}
