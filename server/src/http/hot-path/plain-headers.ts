import { bitOfSingle } from '../credentials.ts';

/** What an ordinary validation says in its headers. One object for all requests: read before the next. */
class PlainHeaders {
  credential = '';
  origin: string | undefined;
  hasHost = false;
  hasBody = false;

  clear(): void {
    this.credential = '';
    this.origin = undefined;
    this.hasHost = false;
    this.hasBody = false;
  }
}

const found = new PlainHeaders();

/**
 * In one pass over what came: `request.headers` would make an object of all of them first. Null
 * where one came twice that must stand alone, or where the caller says to be somebody else as well.
 */
export function plainHeaders(rawHeaders: readonly string[]): Readonly<PlainHeaders> | null {
  found.clear();
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (name === 'transfer-encoding') found.hasBody = true;
    const bit = bitOfSingle(name);
    if (bit === undefined) continue;
    if (seen & bit) return null;
    seen |= bit;
    const value = rawHeaders[i + 1]!;
    if (name === 'x-api-key') found.credential = value;
    else if (name === 'x-keyward-operator') return null;
    else if (name === 'host') found.hasHost = true;
    else if (name === 'x-origin-domain') found.origin = value;
    else if (name === 'content-length' && value !== '0') found.hasBody = true;
  }
  return found;
}
