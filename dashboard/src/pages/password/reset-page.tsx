import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { keyward } from '../../api/client.ts';
import { useLinkToken } from '../../app/session/link-token.ts';
import { Button } from '../../components/buttons/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { PASSWORD_HINT } from './password-hint.ts';

export function ResetPage() {
  const token = useLinkToken();
  const [password, setPassword] = useState('');
  const [done, setDone] = useState(false);
  const reset = useAction(async () => {
    await keyward.signIn.resetPassword({ token: token ?? '', password });
    setPassword('');
    setDone(true);
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void reset.run();
      }}
    >
      <PageHeader title="New password" />
      {token === null && (
        <Notice tone="bad">This link is incomplete. Open it from the email again.</Notice>
      )}
      {reset.failure && <Notice tone="bad">{reset.failure}</Notice>}
      {done ? (
        <Notice tone="good" title="Password changed">
          <Link to="/login" className="text-accent hover:underline">
            Sign in
          </Link>
        </Notice>
      ) : (
        <>
          <PasswordField
            label="New password"
            autoComplete="new-password"
            hint={PASSWORD_HINT}
            value={password}
            onChange={setPassword}
          />
          <Button kind="solid" size="lg" type="submit" busy={reset.busy} disabled={token === null}>
            Change password
          </Button>
        </>
      )}
    </form>
  );
}
