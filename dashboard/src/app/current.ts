import { useParams } from '@tanstack/react-router';
import type { Account, Project } from 'keyward';
import { useWorkspace, type Workspace } from '../api/workspace.ts';
import { createStore } from '../hooks/create-store.ts';
import { readSetting, writeSetting } from './browser/settings-store.ts';

interface Current {
  readonly account: Account | undefined;
  readonly project: Project | undefined;
}

interface CurrentIds {
  readonly accountId?: string;
  readonly projectId?: string;
}

const remembered = createStore(readSetting('project'));

/** The account and project named by a URL, or else those that were last open. */
export function resolveCurrent({ accounts, projects }: Workspace, ids: CurrentIds): Current {
  const projectId = ids.projectId ?? remembered.get();
  const named = projects.find(({ id }) => id === projectId);
  const accountId = ids.accountId ?? named?.accountId;
  const account = accounts.find(({ id }) => id === accountId) ?? accounts[0];
  const own = projects.filter((project) => project.accountId === account?.id);
  const active = own.filter(({ isActive }) => isActive);
  const project =
    own.find(({ id }) => id === projectId) ??
    active.findLast(({ env }) => env === 'live') ??
    active.at(-1) ??
    own[0];
  return { account, project };
}

/** Remembers the project for pages whose URL names none. */
export function rememberProject(id: string): void {
  writeSetting('project', id);
  remembered.set(id);
}

export function useCurrent(): Current {
  remembered.use();
  return resolveCurrent(useWorkspace(), useParams({ strict: false }));
}

/** The project of a page below `/p/$projectId`. The route has checked that it exists. */
export function useProject(): Project {
  const { project } = useCurrent();
  if (!project) throw new Error('This page needs a project.');
  return project;
}

/** The account in the URL, or else that of the current project (see `resolveCurrent`). */
export function useAccount(): Account {
  const { account } = useCurrent();
  if (!account) throw new Error('This page needs an account.');
  return account;
}
