/**
 * The page to open after signing in, from the URL. Only a path within the dashboard is accepted,
 * because anyone can write a link. Paths that a browser reads as another host are rejected.
 */
export const safeNext = (next: unknown): string | undefined =>
  typeof next === 'string' && /^\/(?![/\\])[^\\\s]*$/.test(next) ? next : undefined;
