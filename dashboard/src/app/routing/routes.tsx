import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  notFound,
  redirect,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { prefetchApiKeys } from '../../api/api-keys.ts';
import { setCurrentAccount } from '../../api/client.ts';
import { isSignedOut, queryClient } from '../../api/query-client.ts';
import { workspaceQuery } from '../../api/workspace.ts';
import { parseKeySearch, queryOf } from '../../pages/keys/list/key-search.ts';
import { parseRange, type Range } from '../../text/time/ranges.ts';
import { rememberProject, resolveCurrent } from '../current.ts';
import { Root } from '../shell/root.tsx';
import { Shell } from '../shell/shell.tsx';
import { SignedOutLayout } from '../shell/signed-out-layout.tsx';
import { NotFound, NotFoundDocument } from './error-pages.tsx';
import { lazyPage } from './lazy-page.ts';
import {
  accessKeysSearch,
  analyticsSearch,
  auditLogSearch,
  customersSearch,
  loginSearch,
  plansSearch,
  projectsSearch,
  settingsSearch,
  webhookSearch,
} from './page-searches.ts';

/**
 * Every URL of the dashboard. The code of a page is loaded when it opens. Its filters and sort order
 * are query parameters (`validateSearch`).
 */
const root = createRootRoute({ component: Root, notFoundComponent: NotFoundDocument });

/** A page without query parameters, below the URL of `parent`. */
const page = <Parent extends AnyRoute, const Path extends string, Name extends string>(
  parent: Parent,
  path: Path,
  load: () => Promise<{ readonly [N in Name]: ComponentType }>,
  name: Name,
) => createRoute({ getParentRoute: () => parent, path, component: lazyPage(load, name) });

const signedOut = createRoute({
  getParentRoute: () => root,
  id: 'signed-out',
  component: SignedOutLayout,
});

const login = createRoute({
  getParentRoute: () => signedOut,
  path: '/login',
  validateSearch: loginSearch,
  component: lazyPage(() => import('../../pages/login/login-page.tsx'), 'LoginPage'),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  async beforeLoad({ location }) {
    try {
      return { workspace: await queryClient.ensureQueryData(workspaceQuery) };
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      const next = location.pathname + location.searchStr;
      throw redirect({ to: '/login', search: next === '/' ? {} : { next }, replace: true });
    }
  },
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad({ context: { workspace } }) {
    const { account, project } = resolveCurrent(workspace, {});
    if (project)
      throw redirect({ to: '/p/$projectId', params: { projectId: project.id }, replace: true });
    if (account)
      throw redirect({
        to: '/a/$accountId/projects',
        params: { accountId: account.id },
        replace: true,
      });
  },
  component: lazyPage(() => import('../../pages/no-account/no-account-page.tsx'), 'NoAccountPage'),
});

const project = createRoute({
  getParentRoute: () => shell,
  path: '/p/$projectId',
  notFoundComponent: NotFound,
  beforeLoad({ context: { workspace }, params: { projectId }, preload }) {
    const found = workspace.projects.find(({ id }) => id === projectId);
    if (!found) throw notFound();
    // Only preloading, because the pointer is on a link: the current page stays open.
    if (preload) return;
    rememberProject(projectId);
    setCurrentAccount(found.accountId);
  },
});

const overview = createRoute({
  getParentRoute: () => project,
  path: '/',
  validateSearch: ({ range }: Record<string, unknown>) =>
    range ? { range: parseRange(range) } : {},
  component: lazyPage(() => import('../../pages/overview/overview-page.tsx'), 'OverviewPage'),
});

const rangeSearch = ({ range }: Record<string, unknown>): { range?: Range } =>
  range ? { range: parseRange(range) } : {};

const keys = createRoute({
  getParentRoute: () => project,
  path: '/keys',
  validateSearch: parseKeySearch,
  loader({ params: { projectId }, location }) {
    void prefetchApiKeys(queryOf(parseKeySearch(location.search), projectId, Date.now()));
  },
  component: lazyPage(() => import('../../pages/keys/list/keys-page.tsx'), 'KeysPage'),
});

const key = createRoute({
  getParentRoute: () => project,
  path: '/keys/$keyId',
  validateSearch: rangeSearch,
  component: lazyPage(() => import('../../pages/keys/details/key-page.tsx'), 'KeyPage'),
});

const customers = createRoute({
  getParentRoute: () => project,
  path: '/customers',
  validateSearch: customersSearch,
  component: lazyPage(
    () => import('../../pages/customers/list/customers-page.tsx'),
    'CustomersPage',
  ),
});

/** The id is the `customAccountId`, so that customers without settings have a page too. */
const customer = createRoute({
  getParentRoute: () => project,
  path: '/customers/$customerId',
  validateSearch: rangeSearch,
  component: lazyPage(
    () => import('../../pages/customers/details/customer-page.tsx'),
    'CustomerPage',
  ),
});

const plans = createRoute({
  getParentRoute: () => project,
  path: '/plans',
  validateSearch: plansSearch,
  component: lazyPage(() => import('../../pages/plans/plans-page.tsx'), 'PlansPage'),
});

const plan = createRoute({
  getParentRoute: () => project,
  path: '/plans/$planId',
  validateSearch: rangeSearch,
  component: lazyPage(() => import('../../pages/plans/plan-page.tsx'), 'PlanPage'),
});

const accessKeys = createRoute({
  getParentRoute: () => project,
  path: '/access-keys',
  validateSearch: accessKeysSearch,
  component: lazyPage(
    () => import('../../pages/access-keys/access-keys-page.tsx'),
    'AccessKeysPage',
  ),
});

const webhook = createRoute({
  getParentRoute: () => project,
  path: '/webhooks/$webhookId',
  validateSearch: webhookSearch,
  component: lazyPage(() => import('../../pages/webhooks/details/webhook-page.tsx'), 'WebhookPage'),
});

const analytics = createRoute({
  getParentRoute: () => project,
  path: '/analytics',
  validateSearch: analyticsSearch,
  component: lazyPage(() => import('../../pages/analytics/analytics-page.tsx'), 'AnalyticsPage'),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: '/a/$accountId',
  notFoundComponent: NotFound,
  beforeLoad({ context: { workspace }, params: { accountId }, preload }) {
    if (!workspace.accounts.some(({ id }) => id === accountId)) throw notFound();
    if (!preload) setCurrentAccount(accountId);
  },
});

const auditLog = createRoute({
  getParentRoute: () => account,
  path: '/audit-log',
  validateSearch: auditLogSearch,
  component: lazyPage(() => import('../../pages/audit-log/audit-log-page.tsx'), 'AuditLogPage'),
});

const projects = createRoute({
  getParentRoute: () => account,
  path: '/projects',
  validateSearch: projectsSearch,
  component: lazyPage(() => import('../../pages/projects/projects-page.tsx'), 'ProjectsPage'),
});

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  validateSearch: settingsSearch,
  beforeLoad({ context: { workspace }, preload }) {
    if (!preload) setCurrentAccount(resolveCurrent(workspace, {}).account?.id ?? null);
  },
  component: lazyPage(() => import('../../pages/settings/settings-page.tsx'), 'SettingsPage'),
});

export const routeTree = root.addChildren([
  signedOut.addChildren([
    login,
    page(signedOut, '/setup', () => import('../../pages/setup/setup-page.tsx'), 'SetupPage'),
    page(
      signedOut,
      '/invitations/$invitationId',
      () => import('../../pages/invitation/invitation-page.tsx'),
      'InvitationPage',
    ),
    page(
      signedOut,
      '/forgot-password',
      () => import('../../pages/password/forgot-page.tsx'),
      'ForgotPage',
    ),
    page(
      signedOut,
      '/reset-password',
      () => import('../../pages/password/reset-page.tsx'),
      'ResetPage',
    ),
  ]),
  shell.addChildren([
    home,
    project.addChildren([
      overview,
      keys,
      key,
      customers,
      customer,
      plans,
      plan,
      accessKeys,
      page(
        project,
        '/webhooks',
        () => import('../../pages/webhooks/webhooks-page.tsx'),
        'WebhooksPage',
      ),
      webhook,
      analytics,
      page(
        project,
        '/quick-start',
        () => import('../../pages/quick-start/quick-start-page.tsx'),
        'QuickStartPage',
      ),
    ]),
    account.addChildren([
      auditLog,
      page(account, '/leaks', () => import('../../pages/leaks/leaks-page.tsx'), 'LeaksPage'),
      page(account, '/team', () => import('../../pages/team/team-page.tsx'), 'TeamPage'),
      projects,
      page(
        account,
        '/account',
        () => import('../../pages/account/account-page.tsx'),
        'AccountPage',
      ),
    ]),
    settings,
  ]),
]);
