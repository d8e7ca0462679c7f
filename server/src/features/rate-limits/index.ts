export { rateLimitHeaders, rateLimitLines } from './headers.ts';
export { loadWindows, saveWindows } from './store.ts';
