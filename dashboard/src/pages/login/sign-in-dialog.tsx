import { useState } from 'react';
import type { LostSession } from '../../app/session/session.ts';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { CodeForm } from './code-form.tsx';
import { PasswordForm } from './password-form.tsx';

/** Signs in again above an open form, which keeps its input. */
export default function SignInDialog({ onSignedIn, onLeave }: LostSession) {
  const [needsCode, setNeedsCode] = useState(false);
  const onStatus = async (status: string) => {
    if (status === 'second-factor-required') setNeedsCode(true);
    else await onSignedIn();
  };
  return (
    <Dialog
      open
      onClose={onLeave}
      closeWarning={{
        title: 'Discard your changes?',
        text: 'The form behind this dialog is lost if you leave.',
        leave: 'Go to sign-in page',
      }}
      closesOnBackdrop={false}
      title="Your session has ended"
      description="Sign in again to continue. Your changes are kept."
    >
      {needsCode ? (
        <CodeForm onStatus={onStatus} onStartOver={() => setNeedsCode(false)} />
      ) : (
        <PasswordForm onStatus={onStatus} isInDialog />
      )}
    </Dialog>
  );
}
