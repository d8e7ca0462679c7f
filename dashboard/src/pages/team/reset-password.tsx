import { useQuery } from '@tanstack/react-query';
import type { Teammate } from 'keyward';
import { methodsQuery, sendPasswordReset } from '../../api/sign-in.ts';
import { Button } from '../../components/buttons/button.tsx';
import { CodeBlock } from '../../components/display/code-block.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';

interface ResetPasswordProps {
  readonly teammate: Teammate;
  onClose(): void;
}

/**
 * For a teammate who forgot their password. Only they get the link: anyone who has it can sign in as
 * that user, also in other accounts.
 */
export function ResetPassword({ teammate: { name, email }, onClose }: ResetPasswordProps) {
  const methods = useQuery(methodsQuery).data;
  if (!methods) return null;
  const title = `Reset the password of ${name}`;
  if (methods.resetByMail)
    return (
      <Confirm
        open
        onClose={onClose}
        title={`${title}?`}
        consequences={`A link to choose a new password is sent to ${email}. The current password works until a new one is chosen.`}
        action="Send reset link"
        onConfirm={async () => {
          await sendPasswordReset(email);
          toast({ text: `Reset link sent to ${email}.` });
        }}
      />
    );
  return (
    <Dialog
      open
      onClose={onClose}
      size="md"
      title={title}
      description="This server does not send email. Run this command on the server, and give the link that it prints to this teammate:"
      footer={
        <Button kind="solid" onClick={onClose}>
          Done
        </Button>
      }
    >
      <CodeBlock label="Command" code={`npx keyward people reset-password ${email}`} />
    </Dialog>
  );
}
