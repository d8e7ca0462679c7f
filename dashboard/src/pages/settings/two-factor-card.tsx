import { useState } from 'react';
import { keyward } from '../../api/client.ts';
import { endTwoFactor } from '../../api/me.ts';
import { Button } from '../../components/buttons/button.tsx';
import { Badge } from '../../components/display/badge.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Card } from '../../components/layout/card.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { TwoFactorDialog } from './two-factor-dialog.tsx';

export function TwoFactorCard({ isOn }: { readonly isOn: boolean }) {
  const [open, setOpen] = useState<'begin' | 'end' | 'codes' | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setOpen(null);
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          Two-factor authentication
          <Badge tone={isOn ? 'good' : 'neutral'}>{isOn ? 'On' : 'Off'}</Badge>
        </span>
      }
      description="Requires a code from your phone in addition to your password."
    >
      <div className="flex flex-wrap gap-2">
        {isOn ? (
          <>
            <Button onClick={() => setOpen('codes')}>New recovery codes…</Button>
            <Button onClick={() => setOpen('end')}>Turn off…</Button>
          </>
        ) : (
          <Button kind="solid" onClick={() => setOpen('begin')}>
            Turn on…
          </Button>
        )}
      </div>
      {open === 'begin' && <TwoFactorDialog onClose={close} />}
      {open === 'end' && (
        <PasswordDialog
          title="Turn off two-factor authentication?"
          description="After that, your password alone is enough to sign in."
          action="Turn off"
          danger
          onClose={close}
          onPassword={async (password) => {
            await endTwoFactor(password);
            toast({ text: 'Two-factor authentication is off.' });
            close();
          }}
        />
      )}
      {open === 'codes' && (
        <PasswordDialog
          title="New recovery codes"
          description="Your current codes stop working."
          action="Create new codes"
          onClose={close}
          onPassword={async (password) => {
            const { recoveryCodes } = await keyward.me.twoFactor.newRecoveryCodes({ password });
            setCodes(recoveryCodes);
            close();
          }}
        />
      )}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </Card>
  );
}
