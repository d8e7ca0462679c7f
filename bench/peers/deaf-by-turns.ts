import { UsageTally } from '../../server/src/features/analytics/index.ts';

/** Loaded before the server with `--import`: at each SIGUSR2 it goes deaf, or hears again. */
let deaf = false;
process.on('SIGUSR2', () => {
  deaf = !deaf;
});

const { count, countMiss, accessKeyUsed } = UsageTally.prototype;
Object.assign(UsageTally.prototype, {
  count(this: UsageTally, ...use: Parameters<typeof count>): void {
    if (!deaf) count.apply(this, use);
  },
  countMiss(this: UsageTally, ...use: Parameters<typeof countMiss>): void {
    if (!deaf) countMiss.apply(this, use);
  },
  accessKeyUsed(this: UsageTally, ...use: Parameters<typeof accessKeyUsed>): void {
    if (!deaf) accessKeyUsed.apply(this, use);
  },
});
