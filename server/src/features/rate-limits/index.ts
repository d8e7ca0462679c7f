export { type AccountLimit, takeFromAccount } from './account-limit.ts';
export { headerList, rateLimitHeaders } from './headers.ts';
export { describedLimit, limitSetJson, limitSetLines, type NamedLimits } from './limit-set.ts';
