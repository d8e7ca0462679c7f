/**
 * Where to go after signing in, as it stands in the address: only a path inside the dashboard, since
 * anybody can write a link. What a browser would read as another host is none.
 */
export const safeNext = (next: unknown): string | undefined =>
  typeof next === 'string' && /^\/(?![/\\])[^\\\s]*$/.test(next) ? next : undefined;
