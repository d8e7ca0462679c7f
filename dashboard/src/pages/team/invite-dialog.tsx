import { useState } from 'react';
import type { CreatedInvitation } from '../../api/records.ts';
import { invite } from '../../api/team.ts';
import { useAccount } from '../../app/current.ts';
import { Button } from '../../components/buttons/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { TextArea } from '../../components/forms/field.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { readEmails } from '../../text/emails.ts';
import { counted } from '../../text/numbers.ts';
import { LinksDialog } from './links-dialog.tsx';
import { type RoleChoice, RoleFields, roleBody } from './role-fields.tsx';

export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const account = useAccount();
  const [text, setText] = useState('');
  const [choice, setChoice] = useState<RoleChoice>({ role: 'developer', projectIds: null });
  const [complaint, setComplaint] = useState<string | null>(null);
  const [made, setMade] = useState<readonly CreatedInvitation[] | null>(null);
  const send = useAction(async () => {
    const { emails, wrong } = readEmails(text);
    const role = roleBody(choice);
    if (wrong.length > 0) return setComplaint(`Not an e-mail address: ${wrong.join(', ')}`);
    if (emails.length === 0) return setComplaint('Write at least one e-mail address.');
    if (role === null) return setComplaint('Choose at least one project.');
    setComplaint(null);
    const invitations = await invite({ emails: [...emails], accountId: account.id, ...role });
    if (invitations.some(({ link }) => link !== null)) return setMade(invitations);
    toast({
      text: `${counted(invitations.length, 'invitation is', 'invitations are')} on the way.`,
    });
    onClose();
  });
  if (made) return <LinksDialog invitations={made} onClose={onClose} />;
  return (
    <Dialog
      open
      onClose={onClose}
      size="md"
      title="Invite people"
      description={`They join ${account.name} by a link that works once, for a few days.`}
    >
      <form
        className="flex flex-col gap-5 pt-2"
        onSubmit={(event) => {
          event.preventDefault();
          void send.run();
        }}
      >
        <TextArea
          label="E-mail addresses"
          hint="Several at once: with commas, or one on each line."
          rows={2}
          value={text}
          onChange={setText}
          error={complaint}
        />
        <RoleFields value={choice} onChange={setChoice} />
        {send.failure && <Notice tone="bad">{send.failure}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="solid" type="submit" busy={send.busy}>
            Invite
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
