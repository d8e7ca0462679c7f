/**
 * Whether a host is among the allowed ones. `*.example.com` allows every name below example.com,
 * but not example.com itself. A port after the host is not looked at.
 */
export function originAllowed(allowed: readonly string[], origin: string | undefined): boolean {
  if (origin === undefined) return false;
  const host = hostOf(origin);
  return allowed.some((domain) =>
    domain.startsWith('*.')
      ? host.endsWith(domain.slice(1)) && host.length > domain.length - 1
      : host === domain,
  );
}

/** In lower case, without the port and without the dot that ends an absolute name. */
function hostOf(origin: string): string {
  return origin
    .toLowerCase()
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '');
}
