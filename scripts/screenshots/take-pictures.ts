import { join } from 'node:path';
import type { Browser } from 'playwright-core';

export interface Site {
  readonly url: string;
  readonly accountId: string;
  readonly projectId: string;
  readonly webhookId: string;
  /** Path of the link to the portal of a customer, with its token. */
  readonly portalPath: string;
  readonly planId: string;
  readonly keys: readonly { readonly id: string }[];
}

interface Picture {
  readonly name: string;
  /** Path of the page on the server. */
  path(site: Site): string;
  readonly width?: number;
  readonly height?: number;
  /** Not used in README or docs; taken only with `all` or by name. */
  readonly unshown?: true;
  /** Taken without a session. */
  readonly signedOut?: true;
}

const inProject = (page: string) => (site: Site) => `/dashboard/p/${site.projectId}${page}`;
const inAccount = (page: string) => (site: Site) => `/dashboard/a/${site.accountId}${page}`;

const WIDE: readonly Picture[] = [
  { name: 'overview', path: inProject('') },
  { name: 'keys', path: inProject('/keys') },
  { name: 'key', path: (site) => inProject(`/keys/${site.keys[1]?.id}`)(site) },
  { name: 'customers', path: inProject('/customers'), unshown: true },
  { name: 'customer', path: inProject('/customers/northwind') },
  { name: 'plans', path: inProject('/plans'), unshown: true },
  { name: 'plan', path: (site) => inProject(`/plans/${site.planId}`)(site) },
  { name: 'access-keys', path: inProject('/access-keys'), unshown: true },
  { name: 'webhooks', path: inProject('/webhooks'), unshown: true },
  {
    name: 'webhook',
    path: (site) => inProject(`/webhooks/${site.webhookId}`)(site),
    unshown: true,
  },
  { name: 'analytics', path: inProject('/analytics') },
  { name: 'quick-start', path: inProject('/quick-start') },
  { name: 'projects', path: inAccount('/projects'), unshown: true },
  { name: 'team', path: inAccount('/team') },
  { name: 'audit-log', path: inAccount('/audit-log') },
  { name: 'settings', path: () => '/dashboard/settings', unshown: true },
  { name: 'login', path: () => '/dashboard/login', unshown: true, signedOut: true },
  {
    name: 'forgot-password',
    path: () => '/dashboard/forgot-password',
    unshown: true,
    signedOut: true,
  },
];

/** What customers see. */
const PORTAL: Picture = {
  name: 'portal',
  path: (site) => site.portalPath,
  signedOut: true,
  width: 1024,
  height: 1490,
};

const SHOWN_ON_A_PHONE = new Set(['overview']);

/** Each page in desktop width and in phone width. */
const PICTURES: readonly Picture[] = [...WIDE, PORTAL].flatMap(({ unshown, ...page }) => [
  { ...page, ...(unshown && { unshown }) },
  {
    ...page,
    name: `${page.name}-phone`,
    width: 390,
    height: 844,
    ...(!SHOWN_ON_A_PHONE.has(page.name) && { unshown: true }),
  },
]);

/** The addresses of the pages in `wanted`, or of all pages if it is empty. */
export const pageAddresses = (site: Site, wanted: readonly string[]) =>
  WIDE.filter(({ name }) => wanted.length === 0 || wanted.includes(name)).map(
    ({ name, path, signedOut = false }) => ({
      name,
      url: `${site.url}${path(site)}`,
      signedOut,
    }),
  );

const SETTLED_MS = 1_200;

/** Takes pictures in both themes: by default those used in README and docs, otherwise those in `wanted`. */
export async function takePictures(
  browser: Browser,
  site: Site,
  cookies: ReadonlyMap<string, string>,
  folder: string,
  wanted: readonly string[],
): Promise<void> {
  const chosen = PICTURES.filter(({ name, unshown }) =>
    wanted.length === 0 ? !unshown : wanted.includes(name) || wanted.includes('all'),
  );
  const attributes = { domain: new URL(site.url).hostname, path: '/', secure: true };
  for (const colorScheme of ['light', 'dark'] as const)
    for (const { name, path, signedOut, width = 1440, height = 900 } of chosen) {
      const context = await browser.newContext({
        colorScheme,
        reducedMotion: 'reduce',
        viewport: { width, height },
        isMobile: width < 600,
      });
      const kept = signedOut ? [] : [...cookies];
      await context.addCookies(
        kept.map(([cookie, value]) => ({ name: cookie, value, ...attributes })),
      );
      const page = await context.newPage();
      await page.goto(`${site.url}${path(site)}`);
      await page.waitForSelector('h1');
      // Screenshots have no scroll bar, so no space is reserved for one.
      await page.evaluate("document.documentElement.style.scrollbarGutter = 'auto'");
      await page.waitForTimeout(SETTLED_MS);
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
      await context.close();
      console.log(`${name}-${colorScheme}.png`);
    }
}
