import { useNavigate } from '@tanstack/react-router';
import { EllipsisVertical } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMe } from '../../api/me.ts';
import type { Teammate } from '../../api/records.ts';
import { leaveAccount, removeTeammate, useTeammates } from '../../api/team.ts';
import { useAccount } from '../../app/current.ts';
import { useMay, useRole } from '../../app/session/permissions.ts';
import { IconButton } from '../../components/buttons/icon-button.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Menu, MenuItem } from '../../components/overlays/menu.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import { PEOPLE_COLUMNS } from './people-columns.tsx';
import { ResetPassword } from './reset-password.tsx';
import { RoleDialog } from './role-dialog.tsx';

type Doing = { readonly what: 'role' | 'password' | 'remove' | 'leave'; readonly person: Teammate };

export function PeopleCard() {
  const account = useAccount();
  const people = useTeammates(account.id);
  const me = useMe().data;
  const mayChange = useMay('invitations:write');
  const role = useRole();
  const navigate = useNavigate();
  const [doing, setDoing] = useState<Doing | null>(null);
  const close = () => setDoing(null);

  const columns = useMemo(
    () => [
      ...PEOPLE_COLUMNS,
      {
        id: 'actions',
        header: 'Actions',
        headerHidden: true,
        width: '2.5rem',
        cell: (person: Teammate) =>
          (mayChange || person.id === me?.id) && (
            <Menu
              trigger={
                <IconButton label={`Actions for ${person.name}`}>
                  <EllipsisVertical />
                </IconButton>
              }
            >
              {mayChange && (
                <MenuItem onSelect={() => setDoing({ what: 'role', person })}>
                  Change role…
                </MenuItem>
              )}
              {role === 'owner' && person.id !== me?.id && (
                <MenuItem onSelect={() => setDoing({ what: 'password', person })}>
                  Reset password…
                </MenuItem>
              )}
              {person.id === me?.id ? (
                <MenuItem danger onSelect={() => setDoing({ what: 'leave', person })}>
                  Leave this account…
                </MenuItem>
              ) : (
                <MenuItem danger onSelect={() => setDoing({ what: 'remove', person })}>
                  Remove…
                </MenuItem>
              )}
            </Menu>
          ),
      },
    ],
    [mayChange, role, me?.id],
  );

  return (
    <section aria-label="People" className="flex flex-col gap-3">
      {people.error && <Failure error={people.error} onRetry={() => people.refetch()} />}
      <DataTable
        label="People"
        columns={columns}
        {...people.table}
        rowKey={({ id }) => id}
        height="content"
      />
      {doing?.what === 'role' && <RoleDialog person={doing.person} onClose={close} />}
      {doing?.what === 'password' && <ResetPassword person={doing.person} onClose={close} />}
      <Confirm
        open={doing?.what === 'remove'}
        onClose={close}
        title={`Remove ${doing?.person.name}?`}
        consequences="They lose access immediately. Keys they created keep working."
        action="Remove"
        danger
        onConfirm={async () => {
          await removeTeammate(doing?.person.id ?? '');
          toast({ text: `${doing?.person.name} was removed.` });
        }}
      />
      <Confirm
        open={doing?.what === 'leave'}
        onClose={close}
        title={`Leave ${account.name}?`}
        consequences="You lose access immediately. To come back, you need a new invitation."
        action="Leave"
        danger
        typeToConfirm={account.name}
        onConfirm={async () => {
          await leaveAccount(account.id);
          await navigate({ to: '/' });
        }}
      />
    </section>
  );
}
