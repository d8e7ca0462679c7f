import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/**
 * Whether the server can be reached, kept in React Query's `onlineManager`. While it cannot, queries
 * are paused. When it responds again, they resume, and stale ones are refetched.
 */
const CHECK_EVERY_MS = 2_000;
const CHECK_TIMEOUT_MS = 5_000;

let timer: ReturnType<typeof setInterval> | undefined;
let waiting: (() => void)[] = [];

async function isReachable(): Promise<boolean> {
  try {
    await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  }
}

async function checkConnection(): Promise<void> {
  if (timer === undefined || !(await isReachable())) return;
  clearInterval(timer);
  timer = undefined;
  onlineManager.setOnline(true);
  for (const resolve of waiting) resolve();
  waiting = [];
}

/** Called when a request got no response. Checks repeatedly until the server responds again. */
export function connectionLost(): void {
  onlineManager.setOnline(false);
  timer ??= setInterval(checkConnection, CHECK_EVERY_MS);
}

onlineManager.setEventListener(() => {
  // The browser knows only its own network. Only a response of the server means online again.
  addEventListener('offline', connectionLost);
  addEventListener('online', checkConnection);
  return undefined;
});

/** Resolves when the server can be reached. */
export async function whenReachable(): Promise<void> {
  if (await isReachable()) return;
  connectionLost();
  await new Promise<void>((resolve) => waiting.push(resolve));
}

export const useIsOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
