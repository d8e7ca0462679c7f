import { type Role, useMe } from '../../api/me.ts';
import { useCurrent } from '../current.ts';

type Action =
  | 'keys:write'
  | 'plans:write'
  | 'customers:write'
  | 'credits:write'
  | 'portal:write'
  | 'webhooks:write'
  | 'access-keys:write'
  | 'projects:write'
  | 'invitations:write'
  | 'accounts:write';

/** What developers change; admins can do the same, and more. */
const DEVELOPER: readonly Action[] = [
  'keys:write',
  'plans:write',
  'customers:write',
  'credits:write',
  'portal:write',
  'webhooks:write',
];

const ALLOWED: Record<Role, readonly Action[] | '*'> = {
  owner: '*',
  admin: [...DEVELOPER, 'access-keys:write', 'projects:write', 'invitations:write'],
  developer: DEVELOPER,
  viewer: [],
};

/** The user's role in the current account; undefined while loading. */
export function useRole(): Role | undefined {
  const me = useMe().data;
  const { account } = useCurrent();
  return me?.accounts.find(({ accountId }) => accountId === account?.id)?.role as Role | undefined;
}

/**
 * Whether the user's role allows an action, to hide buttons that the server would reject. True while
 * the role is loading.
 */
export function useMay(action: Action): boolean {
  const role = useRole();
  if (role === undefined) return true;
  const allowed = ALLOWED[role];
  return allowed === '*' || allowed.includes(action);
}
