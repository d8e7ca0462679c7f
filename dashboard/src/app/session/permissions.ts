import { roleHolds, type Scope } from '../../../../sdk/src/rules/roles.ts';
import { type Role, useMe } from '../../api/me.ts';
import { useCurrent } from '../current.ts';

/** The user's role in the current account; undefined while loading. */
export function useRole(): Role | undefined {
  const me = useMe().data;
  const { account } = useCurrent();
  return me?.accounts.find(({ accountId }) => accountId === account?.id)?.role as Role | undefined;
}

/**
 * Whether the user's role has a scope, to hide buttons that the server would reject. True while the
 * role is loading.
 */
export function useMay(scope: Scope): boolean {
  const role = useRole();
  return role === undefined || roleHolds(role, scope);
}
