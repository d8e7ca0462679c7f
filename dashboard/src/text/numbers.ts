import { once } from './once.ts';

const whole = once(() => new Intl.NumberFormat('en'));
const short = once(
  () => new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }),
);
const percent = once(
  () => new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 }),
);

/** 12,345 */
export const wholeNumber = (value: number): string => whole().format(value);

/** 12.3K: for axes and narrow columns. */
export const shortNumber = (value: number): string => short().format(value);

/** 0.1234 as 12.3% */
export const asPercent = (ratio: number): string => percent().format(ratio);

/** `1 key`, `2 keys`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${whole().format(value)} ${value === 1 ? one : many}`;

/** `1,000`, or `1,000+` if counting stopped there. */
export const countOrMore = (value: number, isMore: boolean): string =>
  `${whole().format(value)}${isMore ? '+' : ''}`;
