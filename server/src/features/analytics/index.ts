export { DEFAULT_RETENTION, type Retention } from './buckets/retention.ts';
export { UsedAccessKey, type UsedKey } from './counting/usage-counters.ts';
export { UsageReports } from './counting/usage-reports.ts';
export { UsageTally } from './counting/usage-tally.ts';
export { UsageMaintenance } from './maintenance.ts';
export type { Outcome } from './outcomes.ts';
export { analyticsRoutes } from './routes.ts';
export { AnalyticsService } from './service.ts';
export { usageWriter } from './store.ts';
