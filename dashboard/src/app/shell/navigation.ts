import { useNavigate } from '@tanstack/react-router';
import {
  Building2,
  ChartColumn,
  Contact,
  FolderKanban,
  Gauge,
  KeyRound,
  Layers,
  type LucideIcon,
  Rocket,
  ScrollText,
  Settings,
  ShieldAlert,
  ShieldCheck,
  Users,
  Webhook,
} from 'lucide-react';
import { useManyShortcuts, useShortcut } from '../browser/shortcuts.ts';
import { useCurrent } from '../current.ts';
import { useMay } from '../session/permissions.ts';

export interface NavigationItem {
  readonly to:
    | '/p/$projectId'
    | '/p/$projectId/keys'
    | '/p/$projectId/customers'
    | '/p/$projectId/plans'
    | '/p/$projectId/access-keys'
    | '/p/$projectId/webhooks'
    | '/p/$projectId/analytics'
    | '/p/$projectId/quick-start'
    | '/a/$accountId/audit-log'
    | '/a/$accountId/leaks'
    | '/a/$accountId/team'
    | '/a/$accountId/projects'
    | '/a/$accountId/account'
    | '/settings';
  readonly label: string;
  readonly Icon: LucideIcon;
  /** Pressed after `g`. */
  readonly key: string;
}

/** Shown in the side navigation and the command palette, each with a shortcut. */
export const PROJECT_PAGES: readonly NavigationItem[] = [
  { to: '/p/$projectId', label: 'Overview', Icon: Gauge, key: 'o' },
  { to: '/p/$projectId/keys', label: 'Keys', Icon: KeyRound, key: 'k' },
  { to: '/p/$projectId/customers', label: 'Customers', Icon: Contact, key: 'u' },
  { to: '/p/$projectId/plans', label: 'Plans', Icon: Layers, key: 'b' },
  { to: '/p/$projectId/access-keys', label: 'Access keys', Icon: ShieldCheck, key: 'a' },
  { to: '/p/$projectId/webhooks', label: 'Webhooks', Icon: Webhook, key: 'w' },
  { to: '/p/$projectId/analytics', label: 'Analytics', Icon: ChartColumn, key: 'n' },
  { to: '/p/$projectId/quick-start', label: 'Quick start', Icon: Rocket, key: 'q' },
];

export const ACCOUNT_PAGES: readonly NavigationItem[] = [
  { to: '/a/$accountId/projects', label: 'Projects', Icon: FolderKanban, key: 'p' },
  { to: '/a/$accountId/team', label: 'Team', Icon: Users, key: 't' },
  { to: '/a/$accountId/audit-log', label: 'Audit log', Icon: ScrollText, key: 'l' },
  { to: '/a/$accountId/leaks', label: 'Leaks', Icon: ShieldAlert, key: 'e' },
  { to: '/a/$accountId/account', label: 'Account', Icon: Building2, key: 'c' },
  { to: '/settings', label: 'Settings', Icon: Settings, key: 's' },
];

export const PAGES: readonly NavigationItem[] = [...PROJECT_PAGES, ...ACCOUNT_PAGES];

/** Opens a page of the current project and account. */
export function useGo(): (page: NavigationItem) => void {
  const navigate = useNavigate();
  const { account, project } = useCurrent();
  return ({ to }) => {
    if (to.startsWith('/p/') && !project) return;
    const params = { projectId: project?.id ?? '', accountId: account?.id ?? '' };
    void navigate({ to, params });
  };
}

/** Opens the dialog that creates a key in the current project. */
export function useCreateKey(): () => void {
  const navigate = useNavigate();
  const { project } = useCurrent();
  return () => {
    if (!project) return;
    const params = { projectId: project.id };
    void navigate({ to: '/p/$projectId/keys', params, search: { create: true } });
  };
}

/** `g` and a letter for each page, and `n` for a new key. */
export function useShellShortcuts(): void {
  const go = useGo();
  const createKey = useCreateKey();
  const mayCreate = useMay('keys:write');
  useShortcut('n', 'Create key', createKey, { enabled: mayCreate });
  useManyShortcuts(
    PAGES.map((page) => ({
      keys: `g ${page.key}`,
      label: `Go to ${page.label}`,
      run: () => go(page),
    })),
  );
}
