import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useShortcut } from '../../app/browser/shortcuts.ts';
import { useAccount } from '../../app/current.ts';
import { useMay } from '../../app/session/permissions.ts';
import { Button } from '../../components/buttons/button.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { InvitationsCard } from './invitations-card.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { TeammatesCard } from './teammates-card.tsx';

export function TeamPage() {
  const account = useAccount();
  const mayInvite = useMay('invitations:write');
  const [inviting, setInviting] = useState(false);
  useShortcut('c', 'Invite teammates', () => setInviting(true), { enabled: mayInvite });
  return (
    <>
      <PageHeader
        title="Team"
        description={`Teammates who can access ${account.name}, and their roles.`}
        actions={
          mayInvite && (
            <Button kind="solid" icon={<UserPlus />} onClick={() => setInviting(true)}>
              Invite
            </Button>
          )
        }
      />
      <TeammatesCard />
      <InvitationsCard />
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  );
}
