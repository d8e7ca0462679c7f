export {
  activeColumns,
  issue,
  requireUsable,
  rotate,
  storedValue,
} from './issued-key.ts';
export { successorExpiry } from './successor-expiry.ts';
