import { roleHolds, type Scope } from '@keyward/rules/roles.ts';
import { type Role, useMe } from '../../api/me.ts';
import { useCurrent } from '../current.ts';

function useMembership() {
  const me = useMe().data;
  const { account } = useCurrent();
  return me?.accounts.find(({ accountId }) => accountId === account?.id);
}

/** The user's role in the current account; undefined while loading. */
export const useRole = (): Role | undefined => useMembership()?.role as Role | undefined;

/** The projects that the user's role is limited to; null for the whole account, and while loading. */
export const useOwnProjects = (): readonly string[] | null => useMembership()?.projectIds ?? null;

/**
 * Whether the user's role has a scope, to hide buttons that the server would reject. True while the
 * role is loading.
 */
export function useMay(scope: Scope): boolean {
  const role = useRole();
  return role === undefined || roleHolds(role, scope);
}
