export { rateLimitHeaders } from './headers.ts';
export { loadWindows, saveWindows } from './store.ts';
