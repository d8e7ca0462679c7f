import { useState } from 'react';
import { keyward } from '../../api/client.ts';
import { confirmTwoFactor } from '../../api/me.ts';
import { CopyField } from '../../components/buttons/copy-button.tsx';
import { QrImage } from '../../components/display/qr-image.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { PasswordDialog } from './password-dialog.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';

interface Enrollment {
  readonly totpUri: string;
  readonly recoveryCodes: readonly string[];
}

/** Asks for the password, shows the QR code, asks for a code to confirm, and shows the recovery codes. */
export function TwoFactorDialog({ onClose }: { readonly onClose: () => void }) {
  const [enrollment, setEnrollment] = useState<Enrollment | null>(null);
  const [isConfirmed, setConfirmed] = useState(false);
  if (enrollment === null) {
    return (
      <PasswordDialog
        title="Turn on two-factor authentication"
        description="Enter your password to continue."
        action="Continue"
        onClose={onClose}
        onPassword={async (password) =>
          setEnrollment(await keyward.me.twoFactor.begin({ password }))
        }
      />
    );
  }
  return isConfirmed ? (
    <RecoveryCodesDialog codes={enrollment.recoveryCodes} onClose={onClose} />
  ) : (
    <ScanDialog
      totpUri={enrollment.totpUri}
      onClose={onClose}
      onConfirmed={() => setConfirmed(true)}
    />
  );
}

interface ScanDialogProps {
  readonly totpUri: string;
  onClose(): void;
  onConfirmed(): void;
}

function ScanDialog({ totpUri, onClose, onConfirmed }: ScanDialogProps) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string | null>(null);
  const secret = new URL(totpUri).searchParams.get('secret') ?? '';
  const confirm = useAction(async () => {
    setError(code.trim() === '' ? 'Enter the code that the app shows.' : null);
    if (code.trim() === '') return;
    await confirmTwoFactor(code.trim());
    onConfirmed();
  });
  return (
    <FormDialog
      onClose={onClose}
      size="md"
      title="Scan this QR code with your authenticator app"
      description="Or enter the secret manually. Then enter the code that the app shows."
      action="Turn on"
      busy={confirm.busy}
      onSubmit={confirm.run}
    >
      <div className="flex flex-col gap-5 sm:flex-row">
        <QrImage text={totpUri} label="QR code with the secret" />
        <div className="flex min-w-0 flex-1 flex-col gap-4">
          <CopyField value={secret} label="Copy secret" wraps />
          <TextField
            label="Six-digit code"
            inputMode="numeric"
            autoComplete="one-time-code"
            mono
            required
            value={code}
            onChange={setCode}
            error={error ?? confirm.failure}
          />
        </div>
      </div>
    </FormDialog>
  );
}
