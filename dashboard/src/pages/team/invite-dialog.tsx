import type { CreatedInvitation } from 'keyward';
import { useState } from 'react';
import { invite } from '../../api/team.ts';
import { useAccount } from '../../app/current.ts';
import { useOwnProjects } from '../../app/session/permissions.ts';
import { toast } from '../../components/feedback/toasts.tsx';
import { TextArea } from '../../components/forms/field.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { useCreation } from '../../hooks/use-action.ts';
import { counted } from '../../text/numbers.ts';
import { readEmails } from './emails.ts';
import { LinksDialog } from './links-dialog.tsx';
import { NO_PROJECT, type RoleChoice, RoleFields, roleBody } from './role-fields.tsx';

export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const account = useAccount();
  const [text, setText] = useState('');
  const ownProjects = useOwnProjects();
  const [chosen, setChosen] = useState<RoleChoice | null>(null);
  const choice = chosen ?? { role: 'developer', projectIds: ownProjects };
  const [errors, setErrors] = useState<{ emails?: string; projects?: string }>({});
  const [created, setCreated] = useState<readonly CreatedInvitation[] | null>(null);
  const { run, busy, failure, reset } = useCreation(invite);

  async function send() {
    reset();
    const { emails, wrong } = readEmails(text);
    const role = roleBody(choice);
    if (wrong.length > 0)
      return setErrors({ emails: `Not a valid email address: ${wrong.join(', ')}` });
    if (emails.length === 0) return setErrors({ emails: 'Enter at least one email address.' });
    if (role === null) return setErrors({ projects: NO_PROJECT });
    setErrors({});
    const invitations = await run({ emails: [...emails], accountId: account.id, ...role });
    if (!invitations) return;
    if (invitations.some(({ link }) => link !== null)) return setCreated(invitations);
    toast({ text: `${counted(invitations.length, 'invitation')} sent.` });
    onClose();
  }

  if (created) return <LinksDialog invitations={created} onClose={onClose} />;
  return (
    <FormDialog
      onClose={onClose}
      size="md"
      title="Invite teammates"
      description={`Each person gets a link to join ${account.name}. It works once, within 7 days.`}
      input={{ text, chosen }}
      action="Invite"
      busy={busy}
      failure={failure}
      onSubmit={send}
    >
      <TextArea
        label="Email addresses"
        hint="Separate several addresses with commas or line breaks."
        rows={2}
        value={text}
        onChange={(typed) => {
          setText(typed);
          setErrors({});
        }}
        error={errors.emails}
      />
      <RoleFields
        value={choice}
        onChange={(changed) => {
          setChosen(changed);
          setErrors({});
        }}
        error={errors.projects}
      />
    </FormDialog>
  );
}
