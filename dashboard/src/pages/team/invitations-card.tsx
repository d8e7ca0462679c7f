import type { CreatedInvitation, Invitation } from 'keyward';
import { EllipsisVertical, MailPlus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { cancelInvitation, resendInvitation, useInvitations } from '../../api/team.ts';
import { useAccount } from '../../app/current.ts';
import { useMay } from '../../app/session/permissions.ts';
import { IconButton } from '../../components/buttons/icon-button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { toast, toastFailure } from '../../components/feedback/toasts.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Menu, MenuItem } from '../../components/overlays/menu.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import { INVITATION_COLUMNS } from './invitation-columns.tsx';
import { LinksDialog } from './links-dialog.tsx';

export function InvitationsCard() {
  const account = useAccount();
  const invitations = useInvitations(account.id);
  // Accepted invitations are listed above as teammates.
  const open = invitations.table.rows.filter(({ status }) => status !== 'accepted');
  const mayChange = useMay('invitations:write');
  const [created, setCreated] = useState<CreatedInvitation | null>(null);
  const [cancelling, setCancelling] = useState<Invitation | null>(null);

  const columns = useMemo(() => {
    const resend = async (id: string, by: 'mail' | 'link') => {
      try {
        const invitation = await resendInvitation(id, by);
        if (invitation.link === null) toast({ text: 'Invitation resent.' });
        else setCreated(invitation);
      } catch (error) {
        toastFailure(error);
      }
    };
    return [
      ...INVITATION_COLUMNS,
      {
        id: 'actions',
        header: 'Actions',
        headerHidden: true,
        width: '2.5rem',
        cell: (invitation: Invitation) =>
          mayChange &&
          (invitation.status === 'pending' || invitation.status === 'expired') && (
            <Menu
              trigger={
                <IconButton label={`Actions for ${invitation.email}`}>
                  <EllipsisVertical />
                </IconButton>
              }
            >
              <MenuItem onSelect={() => resend(invitation.id, 'link')}>Create a new link</MenuItem>
              <MenuItem onSelect={() => resend(invitation.id, 'mail')}>Resend email</MenuItem>
              {invitation.status === 'pending' && (
                <MenuItem danger onSelect={() => setCancelling(invitation)}>
                  Cancel…
                </MenuItem>
              )}
            </Menu>
          ),
      },
    ];
  }, [mayChange]);

  return (
    <section aria-labelledby="invitations" className="flex flex-col gap-3">
      <h2 id="invitations" className="font-semibold text-lg">
        Invitations
      </h2>
      {invitations.error && (
        <Failure error={invitations.error} onRetry={() => invitations.refetch()} />
      )}
      <DataTable
        label="Invitations"
        columns={columns}
        {...invitations.table}
        rows={open}
        rowKey={({ id }) => id}
        height="content"
        empty={
          <EmptyState icon={<MailPlus />} title="No invitations">
            An invitation is a link that works once. Teammates who accept it appear above.
          </EmptyState>
        }
      />
      {created && <LinksDialog invitations={[created]} onClose={() => setCreated(null)} />}
      <Confirm
        open={cancelling !== null}
        onClose={() => setCancelling(null)}
        title={`Cancel the invitation for ${cancelling?.email}?`}
        consequences="The link stops working immediately. You can invite them again."
        action="Cancel invitation"
        danger
        onConfirm={() => cancelInvitation(cancelling?.id ?? '')}
      />
    </section>
  );
}
