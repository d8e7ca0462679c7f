import { type RegisteredRouter, useNavigate } from '@tanstack/react-router';
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

type Path = keyof RegisteredRouter['routesByPath'] & string;

/** Every page below this URL, except those with a parameter of their own. */
type PagesBelow<Base extends string, P = Path> = P extends `${Base}/${infer Rest}`
  ? Rest extends '' | `${string}$${string}`
    ? never
    : P
  : never;

interface Page {
  readonly label: string;
  readonly Icon: LucideIcon;
  /** Pressed after `g`. */
  readonly key: string;
}

const PROJECT = {
  '/p/$projectId': { label: 'Overview', Icon: Gauge, key: 'o' },
  '/p/$projectId/keys': { label: 'Keys', Icon: KeyRound, key: 'k' },
  '/p/$projectId/customers': { label: 'Customers', Icon: Contact, key: 'u' },
  '/p/$projectId/plans': { label: 'Plans', Icon: Layers, key: 'b' },
  '/p/$projectId/access-keys': { label: 'Access keys', Icon: ShieldCheck, key: 'a' },
  '/p/$projectId/webhooks': { label: 'Webhooks', Icon: Webhook, key: 'w' },
  '/p/$projectId/analytics': { label: 'Analytics', Icon: ChartColumn, key: 'n' },
  '/p/$projectId/quick-start': { label: 'Quick start', Icon: Rocket, key: 'q' },
} as const satisfies Record<'/p/$projectId' | PagesBelow<'/p/$projectId'>, Page>;

const ACCOUNT = {
  '/a/$accountId/projects': { label: 'Projects', Icon: FolderKanban, key: 'p' },
  '/a/$accountId/team': { label: 'Team', Icon: Users, key: 't' },
  '/a/$accountId/audit-log': { label: 'Audit log', Icon: ScrollText, key: 'l' },
  '/a/$accountId/leaks': { label: 'Leaks', Icon: ShieldAlert, key: 'e' },
  '/a/$accountId/account': { label: 'Account', Icon: Building2, key: 'c' },
  '/settings': { label: 'Settings', Icon: Settings, key: 's' },
} as const satisfies Record<'/settings' | PagesBelow<'/a/$accountId'>, Page>;

export interface NavigationItem extends Page {
  readonly to: keyof typeof PROJECT | keyof typeof ACCOUNT;
}

const itemsOf = (pages: Partial<Record<NavigationItem['to'], Page>>) =>
  Object.entries(pages).map(([to, page]) => ({ to, ...page })) as readonly NavigationItem[];

/** Shown in the side navigation and the command palette, each with a shortcut. */
export const PROJECT_PAGES = itemsOf(PROJECT);

export const ACCOUNT_PAGES = itemsOf(ACCOUNT);

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
