export { headerList, rateLimitHeaders, rateLimitLines } from './headers.ts';
export { describedLimit, limitSetJson, limitSetLines } from './limit-set.ts';
export { loadWindows, saveWindows } from './store.ts';
