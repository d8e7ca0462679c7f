import { UsageTally } from '#server/features/analytics/index.ts';

/** Loaded into the server with `--import`: SIGUSR2 turns the counting of usage off, or on again. */
let isOff = false;
process.on('SIGUSR2', () => {
  isOff = !isOff;
});

const { count, countMiss, accessKeyUsed } = UsageTally.prototype;
Object.assign(UsageTally.prototype, {
  count(this: UsageTally, ...use: Parameters<typeof count>): void {
    if (!isOff) count.apply(this, use);
  },
  countMiss(this: UsageTally, ...use: Parameters<typeof countMiss>): void {
    if (!isOff) countMiss.apply(this, use);
  },
  accessKeyUsed(this: UsageTally, ...use: Parameters<typeof accessKeyUsed>): void {
    if (!isOff) accessKeyUsed.apply(this, use);
  },
});
