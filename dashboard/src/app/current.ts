import { useParams } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import type { Account, Project } from '../api/records.ts';
import { useWorkspace, type Workspace } from '../api/workspace.ts';
import { readSetting, writeSetting } from './browser/settings-store.ts';

interface Place {
  readonly account: Account | undefined;
  readonly project: Project | undefined;
}

interface Wanted {
  readonly accountId?: string;
  readonly projectId?: string;
}

/** The account and project that an address names; where it names none, the last that was open. */
export function placeOf({ accounts, projects }: Workspace, wanted: Wanted): Place {
  const projectId = wanted.projectId ?? readSetting('project') ?? undefined;
  const named = projects.find(({ id }) => id === projectId);
  const accountId = wanted.accountId ?? named?.accountId;
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

const listeners = new Set<() => void>();

/** Pages that name no project show the last one that was open. */
export function rememberProject(id: string): void {
  writeSetting('project', id);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const rememberedProject = () => readSetting('project');

export function usePlace(): Place {
  useSyncExternalStore(subscribe, rememberedProject);
  return placeOf(useWorkspace(), useParams({ strict: false }));
}

/** The project of a page below `/p/$projectId`; its route has made sure that it is there. */
export function useProject(): Project {
  const { project } = usePlace();
  if (!project) throw new Error('This page needs a project.');
  return project;
}

/** The account of the page: the one in its address, or the one of its project. */
export function useAccount(): Account {
  const { account } = usePlace();
  if (!account) throw new Error('This page needs an account.');
  return account;
}
