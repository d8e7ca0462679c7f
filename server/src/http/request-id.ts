import { randomBytes } from 'node:crypto';

/** Unique over processes by its random start, over requests by its count. */
export function createRequestIds(): () => string {
  const start = randomBytes(6).toString('base64url').replaceAll(/[-_]/g, 'x');
  let count = 0;
  return () => `req_${start}${(count++).toString(36).padStart(6, '0')}`;
}
