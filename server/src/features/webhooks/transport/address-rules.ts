import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether a delivery may connect to an address. `public`: a globally reachable unicast address. `allowed`: on
 * the operator's allow list. All others are refused, also those that embed another address: the embedded one
 * would be reached unchecked.
 */
export type AddressVerdict =
  | { readonly kind: 'public' }
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly reason: string };

export interface AllowList {
  readonly isEmpty: boolean;
  matches(address: string): boolean;
}

type Address = ReturnType<typeof ipaddr.parse>;
type Range = readonly [network: Address, prefix: number];
type NamedRange = readonly [range: Range, reason: string];

/** IANA's special-purpose registry, and addresses that cloud platforms use. */
const REFUSED_IPV4 = named([
  ['0.0.0.0/8', 'an address of this network'],
  ['10.0.0.0/8', 'a private address'],
  ['100.64.0.0/10', 'an address behind carrier-grade NAT'],
  ['127.0.0.0/8', 'a loopback address'],
  // Azure's platform services for virtual machines.
  ['168.63.129.16/32', 'a platform address of a cloud'],
  ['169.254.0.0/16', 'a link-local address'],
  ['172.16.0.0/12', 'a private address'],
  ['192.0.0.0/24', 'an address for protocol assignments'],
  ['192.0.2.0/24', 'a documentation address'],
  ['192.88.99.0/24', 'a 6to4 relay address'],
  ['192.168.0.0/16', 'a private address'],
  ['198.18.0.0/15', 'a benchmarking address'],
  ['198.51.100.0/24', 'a documentation address'],
  ['203.0.113.0/24', 'a documentation address'],
  ['224.0.0.0/4', 'a multicast address'],
  ['240.0.0.0/4', 'a reserved address'],
]);

/** A range comes before the wider one that contains it, so that its reason is given. */
const REFUSED_IPV6 = named([
  ['::/128', 'the unspecified address'],
  ['::1/128', 'a loopback address'],
  ['::ffff:0:0/96', 'an IPv4-mapped address'],
  ['64:ff9b::/96', 'a NAT64 address'],
  ['64:ff9b:1::/48', 'a NAT64 address'],
  ['::/8', 'an IPv4-compatible or reserved address'],
  ['100::/64', 'a discard address'],
  ['2001::/32', 'a Teredo address'],
  // Includes a few global anycast addresses of protocols, which are not webhook receivers.
  ['2001::/23', 'an address for protocol assignments'],
  ['2001:db8::/32', 'a documentation address'],
  ['2002::/16', 'a 6to4 address'],
  ['3fff::/20', 'a documentation address'],
  ['5f00::/16', 'a segment routing address'],
  ['fc00::/7', 'a private address'],
  ['fe80::/10', 'a link-local address'],
  ['fec0::/10', 'a site-local address'],
  ['ff00::/8', 'a multicast address'],
]);

const GLOBAL_UNICAST_IPV6 = ipaddr.parseCIDR('2000::/3');

export const ALLOW_NONE: AllowList = { isEmpty: true, matches: () => false };

export function decideAddress(address: string, allow: AllowList): AddressVerdict {
  if (allow.matches(address)) return { kind: 'allowed' };
  const reason = refusalOf(address);
  return reason === null ? { kind: 'public' } : { kind: 'refused', reason };
}

/** Parses `KEYWARD_WEBHOOK_ALLOW`: CIDRs or single addresses, separated by commas. */
export function parseAllowList(text: string): AllowList {
  const ranges = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseRange);
  if (ranges.length === 0) return ALLOW_NONE;
  return {
    isEmpty: false,
    matches: (address) => {
      const parsed = parseStrictly(address);
      return parsed !== null && ranges.some((range) => isInside(parsed, range));
    },
  };
}

function refusalOf(address: string): string | null {
  const parsed = parseStrictly(address);
  if (parsed === null) return address.includes('%') ? 'an address with a zone id' : 'no IP address';
  const isIPv4 = parsed.kind() === 'ipv4';
  const refused = isIPv4 ? REFUSED_IPV4 : REFUSED_IPV6;
  const found = refused.find(([range]) => isInside(parsed, range));
  if (found !== undefined) return found[1];
  return isIPv4 || isInside(parsed, GLOBAL_UNICAST_IPV6) ? null : 'an address outside 2000::/3';
}

/** Accepts canonical spellings only, not `127.1` or `0x7f000001`, and no zone ids. */
function parseStrictly(address: string): Address | null {
  return isIP(address) === 0 || address.includes('%') ? null : ipaddr.parse(address);
}

/** An IPv4 range does not contain the IPv6 forms of its addresses. */
function isInside(address: Address, [network, prefix]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, prefix);
}

function parseRange(text: string): Range {
  const [address = '', prefixText, ...rest] = text.split('/');
  const network = parseStrictly(address);
  const longest = network?.kind() === 'ipv4' ? 32 : 128;
  const prefix = prefixText === undefined ? longest : Number(prefixText);
  const isPrefix = prefixText === undefined || (/^\d{1,3}$/.test(prefixText) && prefix <= longest);
  if (network === null || !isPrefix || rest.length > 0)
    throw new RangeError(`${text} is not an address or CIDR`);
  return [network, prefix];
}

function named(rows: readonly (readonly [cidr: string, reason: string])[]): NamedRange[] {
  return rows.map(([cidr, reason]) => [ipaddr.parseCIDR(cidr), reason]);
}
