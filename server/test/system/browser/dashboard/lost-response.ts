import type { Page } from 'playwright-core';
import { PAGE_TIMEOUT_MS } from '../../../harness/browser.ts';

export const LOST_RESPONSE = 'A lost response';

/** Replaces the first response by an error that is not retried. Returns the idempotency keys sent. */
export async function loseFirstResponse(page: Page, url: string): Promise<readonly string[]> {
  const keys: string[] = [];
  await page.route(url, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    keys.push(route.request().headers()['idempotency-key'] ?? '');
    if (keys.length > 1) return route.continue();
    await route.fetch({ timeout: PAGE_TIMEOUT_MS });
    const body = { statusCode: 400, code: 'invalid_request', message: LOST_RESPONSE };
    return route.fulfill({ status: 400, json: body });
  });
  return keys;
}
