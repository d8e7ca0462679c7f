/**
 * Whether a host is among the allowed ones, by the rules of the server: `*.example.com` allows every
 * name below example.com, but not example.com itself. Case, scheme, port, path and a trailing dot do
 * not matter.
 */
export function originAllowed(allowed: readonly string[], origin: string | undefined): boolean {
  if (origin === undefined) return false;
  const host = origin
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/?#\\].*$/s, '')
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '');
  return allowed.some((domain) =>
    domain.startsWith('*.')
      ? host.endsWith(domain.slice(1)) && host.length > domain.length - 1
      : host === domain,
  );
}
