import { type Role, useMe } from '../../api/me.ts';
import { usePlace } from '../current.ts';

type Action =
  | 'keys:write'
  | 'webhooks:write'
  | 'access-keys:write'
  | 'projects:write'
  | 'invitations:write'
  | 'accounts:write';

const MAY: Record<Role, readonly Action[] | '*'> = {
  owner: '*',
  admin: [
    'keys:write',
    'webhooks:write',
    'access-keys:write',
    'projects:write',
    'invitations:write',
  ],
  developer: ['keys:write', 'webhooks:write'],
  viewer: [],
};

/** The person's role in the account of the page; undefined while it is not known. */
export function useRole(): Role | undefined {
  const me = useMe().data;
  const { account } = usePlace();
  return me?.accounts.find(({ accountId }) => accountId === account?.id)?.role as Role | undefined;
}

/**
 * Whether the person's role lets them do it here: for buttons that would only be refused. The
 * server decides; while it is not known who asks, the page offers everything.
 */
export function useMay(action: Action): boolean {
  const role = useRole();
  if (role === undefined) return true;
  const allowed = MAY[role];
  return allowed === '*' || allowed.includes(action);
}
