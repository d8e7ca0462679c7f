export { validateBatch } from './batch.ts';
export { KeyLeases } from './leases/key-leases.ts';
export { LeaseReturns } from './leases/lease-returns.ts';
export { validationRoutes } from './routes.ts';
export { NO_CONDITIONS } from './rules.ts';
export { Validator } from './validator.ts';
export type { Verdict } from './verdict.ts';
export type { RenderedKey } from './wire/limit-report.ts';
export { RefusalResponses } from './wire/responses.ts';
