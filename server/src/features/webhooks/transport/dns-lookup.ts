import { Resolver } from 'node:dns/promises';
import { GuardError } from './errors.ts';

/** Every address of a name, within the time given. Throws a GuardError when there is none. */
export type Lookup = (name: string, timeoutMs: number) => Promise<readonly string[]>;

/** What c-ares says when a name has no record of the kind asked for. */
const NO_SUCH_RECORD = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Asks the DNS servers of the machine directly. Not `dns.lookup`: it holds one of four threads of
 * the process for as long as a name server hangs, and cannot be called off. `servers` is for tests.
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

/** One family is enough: many name servers answer wrongly for the kind they do not serve. */
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
    : new GuardError('the name of the host could not be resolved in time');
}
