import type { Route } from '../../kernel/route.ts';
import { getApiKeyTotals } from './routes/get-api-key-totals.ts';
import { getProjectTotals } from './routes/get-project-totals.ts';
import { getUsage } from './routes/get-usage.ts';
import type { AnalyticsService } from './service.ts';

export type { KeyOutcome } from './outcomes.ts';
export { DEFAULT_RETENTION, type Retention } from './retention.ts';
export { AnalyticsService } from './service.ts';
export { UsageKeeper } from './usage-keeper.ts';
export { UsageTally } from './usage-tally.ts';
export { UsedAccessKey, UsedKey } from './used.ts';

export const analyticsRoutes = (service: AnalyticsService): Route[] => [
  getApiKeyTotals(service),
  getProjectTotals(service),
  getUsage(service),
];
