import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { keyward } from '../../api/client.ts';
import { methodsQuery, signInWithPasskey } from '../../api/sign-in.ts';
import { Button } from '../../components/buttons/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Checkbox } from '../../components/forms/checkbox.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { useAction } from '../../hooks/use-action.ts';

interface PasswordFormProps {
  /** Error code returned by the identity provider. */
  readonly providerError?: string | undefined;
  /** The session ended while the dashboard was open. */
  readonly isExpired?: boolean;
  /** Hides the heading, and everything that leaves the page. */
  readonly isInDialog?: boolean;
  onStatus(status: string): Promise<void>;
}

export function PasswordForm({
  onStatus,
  providerError,
  isExpired,
  isInDialog,
}: PasswordFormProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [rememberMe, setRememberMe] = useState(true);
  const methods = useQuery(methodsQuery).data;
  const enter = useAction(async () => {
    const { status } = await keyward.signIn.withPassword({
      email: email.trim(),
      password,
      rememberMe,
    });
    setPassword('');
    await onStatus(status);
  });
  const passkey = useAction(async () => onStatus((await signInWithPasskey()).status));
  const provider = useAction(async (id: string) => {
    location.assign((await keyward.signIn.withProvider({ provider: id })).url);
  });
  const failure =
    enter.failure ?? passkey.failure ?? provider.failure ?? explainProviderError(providerError);

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void enter.run();
      }}
    >
      {!isInDialog && <PageHeader title="Sign in" />}
      {failure && <Notice tone="bad">{failure}</Notice>}
      {isExpired && !failure && (
        <Notice title="Your session has ended">Sign in again to continue where you were.</Notice>
      )}
      {methods?.needsSetup && (
        <Notice tone="accent" title="No owner yet">
          Open the setup link from the server’s output to create the first owner.
        </Notice>
      )}
      <TextField
        label="Email"
        type="email"
        name="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={setEmail}
      />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
      <div className="flex items-center justify-between text-sm">
        <Checkbox label="Stay signed in" checked={rememberMe} onChange={setRememberMe} />
        {!isInDialog && (
          <Link to="/forgot-password" className="text-accent hover:underline">
            Forgot password?
          </Link>
        )}
      </div>
      <Button kind="solid" size="lg" type="submit" busy={enter.busy}>
        Sign in
      </Button>
      {methods?.passkey && 'PublicKeyCredential' in window && (
        <Button size="lg" icon={<Fingerprint />} busy={passkey.busy} onClick={() => passkey.run()}>
          Sign in with a passkey
        </Button>
      )}
      {!isInDialog &&
        methods?.providers.map(({ id, name }) => (
          <Button key={id} size="lg" busy={provider.busy} onClick={() => provider.run(id)}>
            Continue with {name}
          </Button>
        ))}
    </form>
  );
}

const ADVICE: Partial<Record<string, string>> = {
  signup_disabled: 'No user is linked to this sign-in. Ask an owner of your account to invite you.',
  account_not_linked:
    'This sign-in is not linked to your user yet. Sign in another way, then link it in Settings.',
};

/**
 * Message for a failed sign-in with an identity provider. Never shows the code from the URL, which an
 * attacker can set.
 */
function explainProviderError(providerError: string | undefined): string | null {
  if (providerError === undefined) return null;
  return ADVICE[providerError] ?? 'Sign-in failed. Try again, or use another method.';
}
