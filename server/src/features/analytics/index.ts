import type { Route } from '../../kernel/route.ts';
import { getApiKeyTotals } from './routes/get-api-key-totals.ts';
import { getProjectTotals } from './routes/get-project-totals.ts';
import { getUsage } from './routes/get-usage.ts';
import { reportUsage } from './routes/report-usage.ts';
import type { AnalyticsService } from './service.ts';
import type { UsageReports } from './usage-reports.ts';

export type { Outcome } from './outcomes.ts';
export { DEFAULT_RETENTION, type Retention } from './retention.ts';
export { AnalyticsService } from './service.ts';
export { UsageKeeper } from './usage-keeper.ts';
export { UsageReports } from './usage-reports.ts';
export { UsageTally } from './usage-tally.ts';
export { usageWriter } from './usage-writer.ts';
export { UsedAccessKey, type UsedKey } from './used.ts';

export const analyticsRoutes = (service: AnalyticsService, reports: UsageReports): Route[] => [
  getApiKeyTotals(service),
  getProjectTotals(service),
  getUsage(service),
  reportUsage(reports),
];
