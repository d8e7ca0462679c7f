import type { ApiKey } from '../../api/records.ts';
import { shortNumber } from '../../text/numbers.ts';
import { durationText } from '../../text/times.ts';

const SHORT: Partial<Record<number, string>> = { 1: 's', 60: 'min', 3600: 'h', 86400: 'day' };

/** `10 / min`: for a column. */
export const shortLimit = ({
  rateLimit,
  rateLimitTtl,
}: NonNullable<ApiKey['rateLimitConfigs']>): string =>
  `${shortNumber(rateLimit)} / ${SHORT[rateLimitTtl] ?? durationText(rateLimitTtl)}`;
