export { validateBatch } from './batch.ts';
export { LeaseReturns } from './leases.ts';
export { limitLines, recordOf } from './limit-report.ts';
export type { PreparedKey } from './prepared-key.ts';
export { acceptanceResponse, RefusalResponses } from './responses.ts';
export { validationRoutes } from './routes.ts';
export { NO_CONDITIONS } from './rules.ts';
export { BATCH_MAX, COST_MAX } from './schema.ts';
export { Validator, type Verdict } from './validator.ts';
