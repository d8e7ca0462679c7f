import { createStore } from './create-store.ts';

const STEP_MS = 15_000;

const now = createStore(Date.now());
setInterval(() => now.set(Date.now()), STEP_MS);

/** The current time, updated every 15 seconds by one timer for the whole page. */
export const useNow = now.use;
