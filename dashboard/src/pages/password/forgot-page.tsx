import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { methodsQuery, sendPasswordReset } from '../../api/sign-in.ts';
import { Button } from '../../components/buttons/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { useAction } from '../../hooks/use-action.ts';

export function ForgotPage() {
  const methods = useQuery(methodsQuery).data;
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  const ask = useAction(async () => {
    await sendPasswordReset(email.trim());
    setSent(true);
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void ask.run();
      }}
    >
      <PageHeader title="Reset your password" />
      {ask.failure && <Notice tone="bad">{ask.failure}</Notice>}
      {methods?.resetByMail === false ? (
        <Notice>
          This server does not send email. Ask the administrator of the server for a reset link.
        </Notice>
      ) : sent ? (
        <Notice tone="good" title="Check your email">
          If {email} belongs to a user, a reset link is on its way.
        </Notice>
      ) : (
        <>
          <TextField
            label="Email"
            type="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={setEmail}
          />
          <Button kind="solid" size="lg" type="submit" busy={ask.busy}>
            Send reset link
          </Button>
        </>
      )}
      <Link to="/login" className="text-accent text-sm hover:underline">
        Back to sign in
      </Link>
    </form>
  );
}
