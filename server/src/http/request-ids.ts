import { randomBytes } from 'node:crypto';

/** Ids unique across processes (random prefix) and requests (counter). */
export function createRequestIds(): () => string {
  const start = randomBytes(6).toString('base64url').replaceAll(/[-_]/g, 'x');
  let count = 0;
  return () => `req_${start}${(count++).toString(36).padStart(6, '0')}`;
}
