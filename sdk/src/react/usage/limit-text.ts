import type { PortalLimit } from '../client/records.ts';
import type { Messages } from '../text/en.ts';
import type { Format } from '../text/format.ts';

type Limit = Pick<PortalLimit, 'rateLimit' | 'rateLimitTtl' | 'interval' | 'unit' | 'for'>;

/** `100 per minute`, `5,000 tokens per month (POST:/v1/chat*)`. */
export function rateText(limit: Limit, { limits }: Messages, format: Format): string {
  const { rateLimit, unit, for: patterns } = limit;
  const count = format.number(rateLimit);
  const rate = limits.rate(unit === undefined ? count : `${count} ${unit}`, format.windowOf(limit));
  return patterns === undefined ? rate : `${rate} (${patterns.join(', ')})`;
}
