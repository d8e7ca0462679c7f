import { UsageTally } from '../../server/src/features/analytics/index.ts';

/** Loaded before the server with `--import`, it makes it deaf: nothing is counted nor written. */
const nothing = (): void => {};
Object.assign(UsageTally.prototype, {
  count: nothing,
  countMiss: nothing,
  accessKeyUsed: nothing,
  start: nothing,
});
