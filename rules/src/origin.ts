/**
 * Whether the host of `origin` is allowed. `*.example.com` allows every subdomain of example.com, but
 * not example.com itself. Used by the server and by local validation.
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

/**
 * The lower-case host of `example.com`, `example.com:443` or `https://example.com:443/path`. A user
 * name before `@` is kept, so that it matches no domain.
 */
function hostOf(origin: string): string {
  return origin
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/?#\\].*/s, '')
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '');
}
