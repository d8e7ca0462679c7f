import { join } from 'node:path';
import type { Browser } from 'playwright-core';

export interface Place {
  readonly url: string;
  readonly accountId: string;
  readonly projectId: string;
  readonly webhookId: string;
  readonly keys: readonly { readonly id: string }[];
}

interface Picture {
  readonly name: string;
  path(place: Place): string;
  readonly width?: number;
  /** Not in README or docs: to be looked at, with `all`. */
  readonly unshown?: true;
  /** As somebody sees it who is not signed in. */
  readonly signedOut?: true;
}

const inProject = (page: string) => (place: Place) => `/p/${place.projectId}${page}`;
const inAccount = (page: string) => (place: Place) => `/a/${place.accountId}${page}`;

const WIDE: readonly Picture[] = [
  { name: 'overview', path: inProject('') },
  { name: 'keys', path: inProject('/keys') },
  { name: 'key', path: (place) => inProject(`/keys/${place.keys[1]?.id}`)(place) },
  { name: 'access-keys', path: inProject('/access-keys'), unshown: true },
  { name: 'webhooks', path: inProject('/webhooks'), unshown: true },
  {
    name: 'webhook',
    path: (place) => inProject(`/webhooks/${place.webhookId}`)(place),
    unshown: true,
  },
  { name: 'analytics', path: inProject('/analytics') },
  { name: 'quick-start', path: inProject('/quick-start') },
  { name: 'projects', path: inAccount('/projects'), unshown: true },
  { name: 'team', path: inAccount('/team') },
  { name: 'audit-log', path: inAccount('/audit-log') },
  { name: 'settings', path: () => '/settings', unshown: true },
  { name: 'login', path: () => '/login', unshown: true, signedOut: true },
  { name: 'forgot-password', path: () => '/forgot-password', unshown: true, signedOut: true },
];

const SHOWN_ON_A_PHONE = new Set(['overview']);

/** Each page once more as a phone shows it. */
const PICTURES: readonly Picture[] = WIDE.flatMap(({ unshown: _, ...page }, at) => [
  WIDE[at]!,
  {
    ...page,
    name: `${page.name}-phone`,
    width: 390,
    ...(!SHOWN_ON_A_PHONE.has(page.name) && { unshown: true }),
  },
]);

/** Each page as a wide screen shows it: those that `wanted` names, or all. */
export const pageAddresses = (place: Place, wanted: readonly string[]) =>
  WIDE.filter(({ name }) => wanted.length === 0 || wanted.includes(name)).map(
    ({ name, path, signedOut = false }) => ({
      name,
      url: `${place.url}/dashboard${path(place)}`,
      signedOut,
    }),
  );

const SETTLED_MS = 1_200;

/** In both themes: those that are shown, those that `wanted` names, or `all`. */
export async function takePictures(
  browser: Browser,
  place: Place,
  cookies: ReadonlyMap<string, string>,
  folder: string,
  wanted: readonly string[],
): Promise<void> {
  const chosen = PICTURES.filter(({ name, unshown }) =>
    wanted.length === 0 ? !unshown : wanted.includes(name) || wanted.includes('all'),
  );
  const attributes = { domain: new URL(place.url).hostname, path: '/', secure: true };
  for (const colorScheme of ['light', 'dark'] as const)
    for (const { name, path, signedOut, width = 1440 } of chosen) {
      const context = await browser.newContext({
        colorScheme,
        reducedMotion: 'reduce',
        viewport: { width, height: width < 600 ? 844 : 900 },
        isMobile: width < 600,
      });
      const kept = signedOut ? [] : [...cookies];
      await context.addCookies(
        kept.map(([cookie, value]) => ({ name: cookie, value, ...attributes })),
      );
      const page = await context.newPage();
      await page.goto(`${place.url}/dashboard${path(place)}`);
      await page.waitForSelector('h1');
      // Pictures have no scroll bar, and need no room for one.
      await page.evaluate("document.documentElement.style.scrollbarGutter = 'auto'");
      await page.waitForTimeout(SETTLED_MS);
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
      await context.close();
      console.log(`${name}-${colorScheme}.png`);
    }
}
