import { useState } from 'react';
import { keyward } from '../../api/client.ts';
import { confirmTwoFactor } from '../../api/me.ts';
import { Button } from '../../components/buttons/button.tsx';
import { CopyField } from '../../components/buttons/copy-button.tsx';
import { QrImage } from '../../components/display/qr-image.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
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
  const secret = new URL(totpUri).searchParams.get('secret') ?? '';
  const confirm = useAction(async () => {
    await confirmTwoFactor(code.trim());
    onConfirmed();
  });
  return (
    <Dialog
      open
      onClose={onClose}
      closesOnBackdrop={false}
      title="Scan this QR code with your authenticator app"
      description="Or enter the secret manually. Then enter the code that the app shows."
      size="md"
    >
      <form
        className="flex flex-col gap-5 pt-2 sm:flex-row"
        onSubmit={(event) => {
          event.preventDefault();
          void confirm.run();
        }}
      >
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
            error={confirm.failure}
          />
          <Button kind="solid" type="submit" busy={confirm.busy}>
            Turn on
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
