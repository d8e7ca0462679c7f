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

/** Texts for the names that the library gives to ranges. All other ranges are 'a reserved address'. */
const REASONS: Readonly<Record<string, string>> = {
  unspecified: 'an unspecified address',
  loopback: 'a loopback address',
  private: 'a private address',
  uniqueLocal: 'a private address',
  linkLocal: 'a link-local address',
  deprecatedSiteLocal: 'a site-local address',
  carrierGradeNat: 'an address behind carrier-grade NAT',
  multicast: 'a multicast address',
  ipv4Mapped: 'an IPv4-mapped address',
  rfc6052: 'a NAT64 address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
};

/** Azure's platform services for virtual machines. */
const AZURE_PLATFORM = '168.63.129.16';

/** The only range of which global addresses are assigned so far. The library calls the rest unicast, too. */
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
  if (address === AZURE_PLATFORM) return 'a platform address of a cloud';
  const range: string = parsed.range();
  if (range !== 'unicast') return REASONS[range] ?? 'a reserved address';
  const isGlobal = parsed.kind() === 'ipv4' || isInside(parsed, GLOBAL_UNICAST_IPV6);
  return isGlobal ? null : 'an address outside 2000::/3';
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
