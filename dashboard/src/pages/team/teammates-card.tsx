import { useNavigate } from '@tanstack/react-router';
import type { Teammate } from 'keyward';
import { EllipsisVertical } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMe } from '../../api/me.ts';
import { leaveAccount, removeTeammate, useTeammates } from '../../api/team.ts';
import { useAccount } from '../../app/current.ts';
import { useMay, useRole } from '../../app/session/permissions.ts';
import { IconButton } from '../../components/buttons/icon-button.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Menu, MenuItem } from '../../components/overlays/menu.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import { ResetPassword } from './reset-password.tsx';
import { RoleDialog } from './role-dialog.tsx';
import { TEAMMATE_COLUMNS } from './teammate-columns.tsx';

type OpenDialog = {
  readonly action: 'role' | 'password' | 'remove' | 'leave';
  readonly teammate: Teammate;
};

export function TeammatesCard() {
  const account = useAccount();
  const teammates = useTeammates(account.id);
  const me = useMe().data;
  const mayChange = useMay('invitations:write');
  const role = useRole();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = () => setDialog(null);

  const columns = useMemo(
    () => [
      ...TEAMMATE_COLUMNS,
      {
        id: 'actions',
        header: 'Actions',
        headerHidden: true,
        width: '2.5rem',
        cell: (teammate: Teammate) =>
          (mayChange || teammate.id === me?.id) && (
            <Menu
              trigger={
                <IconButton label={`Actions for ${teammate.name}`}>
                  <EllipsisVertical />
                </IconButton>
              }
            >
              {mayChange && (
                <MenuItem onSelect={() => setDialog({ action: 'role', teammate })}>
                  Change role…
                </MenuItem>
              )}
              {role === 'owner' && teammate.id !== me?.id && (
                <MenuItem onSelect={() => setDialog({ action: 'password', teammate })}>
                  Reset password…
                </MenuItem>
              )}
              {teammate.id === me?.id ? (
                <MenuItem danger onSelect={() => setDialog({ action: 'leave', teammate })}>
                  Leave this account…
                </MenuItem>
              ) : (
                <MenuItem danger onSelect={() => setDialog({ action: 'remove', teammate })}>
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
    <section aria-label="Teammates" className="flex flex-col gap-3">
      {teammates.error && <Failure error={teammates.error} onRetry={() => teammates.refetch()} />}
      <DataTable
        label="Teammates"
        columns={columns}
        {...teammates.table}
        rowKey={({ id }) => id}
        height="content"
      />
      {dialog?.action === 'role' && <RoleDialog teammate={dialog.teammate} onClose={close} />}
      {dialog?.action === 'password' && (
        <ResetPassword teammate={dialog.teammate} onClose={close} />
      )}
      <Confirm
        open={dialog?.action === 'remove'}
        onClose={close}
        title={`Remove ${dialog?.teammate.name}?`}
        consequences="They lose access immediately. Keys they created keep working."
        action="Remove"
        danger
        onConfirm={async () => {
          await removeTeammate(dialog?.teammate.id ?? '');
          toast({ text: `${dialog?.teammate.name} was removed.` });
        }}
      />
      <Confirm
        open={dialog?.action === 'leave'}
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
