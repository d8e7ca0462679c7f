import {
  type Address,
  type AddressRange,
  addressText,
  isInRange,
  parseAddress,
  parseAddressRange,
} from '@keyward/rules/addresses.ts';
import type { Conditions } from '@keyward/rules/check-key.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { Call } from '../../kernel/route.ts';

/** The header in which gateways that cannot write a query send the address of their user. */
export class ClientIPHeader {
  readonly #name: string;
  readonly #trusted: readonly AddressRange[];

  constructor(name: string, trustedProxies: readonly string[]) {
    this.#name = name.toLowerCase();
    this.#trusted = trustedProxies.map(rangeOf);
  }

  /**
   * The address in the header. Null without the header, or if the connection is not from a trusted proxy, because then
   * anybody may have written it. A list is rejected: the gateway has passed on what its user sent.
   */
  read(headers: Call['headers'], peer: string | undefined): Address | null {
    const text = headers[this.#name];
    if (text === undefined || !this.#trusts(peer)) return null;
    const address = parseAddress(String(text));
    if (address === null)
      throw new KeywardError(
        'invalid_header',
        `${this.#name} must be one IP address alone. The gateway must overwrite it.`,
      );
    return address;
  }

  #trusts(peer: string | undefined): boolean {
    // Of a link-local address, the system adds the zone: fe80::1%eth0.
    const address = peer === undefined ? null : parseAddress(peer.replace(/%.*$/s, ''));
    return address !== null && this.#trusted.some((range) => isInRange(address, range));
  }
}

/** The setting also accepts a prefix with leading zeros. */
function rangeOf(text: string): AddressRange {
  const range = parseAddressRange(text.replace(/\/0+(?=\d)/, '/'));
  if (range === null) throw new TypeError(`${text} is not an address or CIDR.`);
  return range;
}

/** Of two addresses, one may come from the user of a misconfigured gateway, so they must be the same. */
export function sameAddress(
  inQuery: Conditions['clientIP'],
  inHeader: Address | null,
): Conditions['clientIP'] {
  if (inHeader === null) return inQuery;
  if (inQuery !== null && addressText(inQuery) !== addressText(inHeader))
    throw new KeywardError('invalid_query', 'ip differs from the address in the header.');
  return inHeader;
}
