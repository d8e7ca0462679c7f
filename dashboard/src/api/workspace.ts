import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { Account, Project } from 'keyward';
import { keyward } from './client.ts';
import { queryClient } from './query-client.ts';

export interface Workspace {
  readonly accounts: readonly Account[];
  /** Projects of all these accounts: account by account, newest first. */
  readonly projects: readonly Project[];
}

/** Accounts and projects of the signed-in user, needed by every page. */
export const workspaceQuery = queryOptions({
  queryKey: ['workspace'],
  staleTime: 60_000,
  async queryFn({ signal }): Promise<Workspace> {
    const accounts = await keyward.accounts.list({ limit: 100 }, { signal }).toArray();
    const projects = await Promise.all(
      accounts.map(({ id }) =>
        keyward.projects.list({ accountId: id, limit: 1000 }, { signal }).toArray(),
      ),
    );
    return { accounts, projects: projects.flat() };
  },
});

/** Already loaded when the shell renders. */
export const useWorkspace = (): Workspace => useSuspenseQuery(workspaceQuery).data;

export async function renameAccount(id: string, name: string) {
  await keyward.accounts.update(id, { name });
  await invalidateWorkspace();
}

export const invalidateWorkspace = () => queryClient.invalidateQueries({ queryKey: ['workspace'] });
