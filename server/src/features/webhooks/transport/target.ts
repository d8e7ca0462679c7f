import { isIP } from 'node:net';
import { KeywardError } from '../../../kernel/errors.ts';
import { type AllowList, decideAddress } from './address-rules.ts';

const LENGTH_MAX = 2048;

/** Scheme, authority and rest of a URL as written, before a parser normalizes it. */
const WRITTEN = /^(https?):\/\/([^/?#]+)([/?].*)?$/i;

/** Spaces, control characters and backslashes: parsers disagree on their meaning in a URL. */
const AMBIGUOUS = /[\s\p{Cc}\\]/u;

/** Names that never resolve to a public address, or depend on who resolves them. */
const LOCAL_SUFFIXES = ['localhost', 'local', 'internal'];

const ALLOW_HINT =
  'To reach your own machine or network in development, start the server with KEYWARD_WEBHOOK_ALLOW, like KEYWARD_WEBHOOK_ALLOW=127.0.0.0/8.';

/**
 * Checks the URL of a webhook when it is set, and returns it normalized; it is stored as given. An address in the
 * URL is checked here, the addresses of a host name at every connection.
 */
export function checkTarget(url: string, allow: AllowList): string {
  const { written, parsed } = readUrl(url);
  // Without brackets or a last dot.
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const isPlainHttp = parsed.protocol === 'http:';
  if (isIP(host) === 0) checkName(host, isPlainHttp, allow);
  else checkAddress(host, written, isPlainHttp, allow);
  return parsed.href;
}

function readUrl(url: string): { written: string; parsed: URL } {
  if (url.length > LENGTH_MAX) throw refused(`can have at most ${LENGTH_MAX} characters.`);
  if (AMBIGUOUS.test(url)) throw refused('cannot contain spaces, control characters or \\.');
  if (url.includes('#')) throw refused('cannot have a fragment (#).');
  const authority = WRITTEN.exec(url)?.[2];
  if (authority === undefined) throw refused('must be of the form https://host/path.');
  if (authority.includes('@')) throw refused('cannot carry a user name or password.');
  if (authority.includes('%')) throw refused('cannot have an escaped host.');
  const parsed = URL.parse(url);
  if (parsed === null) throw refused('has a host or port that cannot be read.');
  if (parsed.href.length > LENGTH_MAX)
    throw refused(`can have at most ${LENGTH_MAX} characters, escapes included.`);
  if (parsed.port === '0') throw refused('cannot use port 0.');
  return { written: authority.replace(/:\d*$/, ''), parsed };
}

function checkName(host: string, isPlainHttp: boolean, allow: AllowList): void {
  const labels = host.split('.');
  if (host === '' || labels.includes('')) throw refused('has a host with an empty part.');
  if (!allow.isEmpty) return;
  if (labels.length === 1 || LOCAL_SUFFIXES.includes(labels.at(-1)!))
    throw refused(`must name a public host. ${ALLOW_HINT}`);
  if (isPlainHttp) throw refused('must start with https://.');
}

function checkAddress(host: string, written: string, isPlainHttp: boolean, allow: AllowList): void {
  // Parsers read spellings like 0177.1 as different addresses.
  if (isIP(host) === 4 && written !== host)
    throw refused('must write an IPv4 address as four decimal numbers.');
  const verdict = decideAddress(host, allow);
  if (verdict.kind === 'refused')
    throw refused(`must have a public address; this is ${verdict.reason}. ${ALLOW_HINT}`);
  if (isPlainHttp && verdict.kind !== 'allowed') throw refused('must start with https://.');
}

function refused(reason: string): KeywardError {
  return new KeywardError('invalid_body', `url ${reason}`);
}
