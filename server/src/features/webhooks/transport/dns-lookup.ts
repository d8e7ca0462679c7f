import { Resolver } from 'node:dns/promises';
import { GuardError } from './errors.ts';

/** All addresses of a name. Throws a GuardError if there are none, or not in time. */
export type Lookup = (name: string, timeoutMs: number) => Promise<readonly string[]>;

/** Codes of c-ares for a name without records of the requested type. */
const NO_SUCH_RECORD = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Queries the DNS servers of the machine. `dns.lookup` is not used: it cannot be cancelled, and occupies
 * one of the four threads of the process while a name server hangs. `servers` is for tests.
 */
export function createLookup(servers?: readonly string[]): Lookup {
  return async (name, timeoutMs) => {
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), timeoutMs);
    try {
      const families = [resolver.resolve4(name), resolver.resolve6(name)];
      return addressesIn(await Promise.allSettled(families));
    } finally {
      clearTimeout(timer);
    }
  };
}

/** One address family is enough: many name servers respond wrongly for the other. */
function addressesIn(families: readonly PromiseSettledResult<string[]>[]): string[] {
  const addresses = families.flatMap((family) =>
    family.status === 'fulfilled' ? family.value : [],
  );
  if (addresses.length > 0) return addresses;
  const codes = families.map((family) =>
    family.status === 'rejected' ? (family.reason as NodeJS.ErrnoException).code : undefined,
  );
  throw codes.every((code) => code === undefined || NO_SUCH_RECORD.has(code))
    ? new GuardError('the name of the host has no address')
    : new GuardError('the name of the host could not be resolved');
}
