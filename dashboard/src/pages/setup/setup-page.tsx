import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { KeywardError } from 'keyward';
import { useState } from 'react';
import { keyward } from '../../api/client.ts';
import { meQuery } from '../../api/me.ts';
import { forgetLinkTokens, useLinkToken } from '../../app/session/link-token.ts';
import { useEnter } from '../../app/session/session.ts';
import { Button } from '../../components/buttons/button.tsx';
import { Spinner } from '../../components/feedback/loading.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { explain } from '../../text/explain.ts';
import { NewUserForm } from '../invitation/new-user-form.tsx';

/** Page behind a one-time owner link, which the first start or `npx keyward owner-link` prints. */
export function SetupPage() {
  const token = useLinkToken();
  const enter = useEnter();
  const [email, setEmail] = useState('');
  const [isUncertain, setUncertain] = useState(false);
  // The query key does not contain the token, which must not be cached.
  const info = useQuery({
    queryKey: ['setup-info'],
    queryFn: () => keyward.signIn.setupInfo({ token: token ?? '' }),
    enabled: token !== null,
    gcTime: 0,
  });
  const me = useQuery(meQuery);
  const begin = useAction(async (user: { name?: string; email?: string; password?: string }) => {
    try {
      await keyward.signIn.setUp({ token: token ?? '', ...user });
    } catch (error) {
      // The server may have finished after the timeout. Then the link no longer works.
      if (error instanceof KeywardError && error.code === 'timeout') return setUncertain(true);
      throw error;
    }
    forgetLinkTokens();
    await enter();
  });

  if (isUncertain)
    return (
      <div className="flex flex-col gap-4">
        <PageHeader title="Set up" />
        <Notice tone="warn" title="The server took longer than expected">
          Your user was probably created.{' '}
          <Link to="/login" className="text-accent underline">
            Sign in
          </Link>
        </Notice>
      </div>
    );
  if (token === null || info.isError) {
    return (
      <div className="flex flex-col gap-4">
        <PageHeader title="Set up" />
        <Notice tone="bad" title="This link does not work">
          {token === null
            ? 'Open the full link that Keyward printed.'
            : isMalformed(info.error)
              ? 'The link is incomplete or was changed. Copy the full link that Keyward printed.'
              : explain(info.error)}
        </Notice>
      </div>
    );
  }
  if (!info.data || me.isPending) return <Spinner label="Checking the link…" />;
  const title = 'Welcome to Keyward';
  const description = `You will be an owner of ${info.data.accountName}.`;
  if (me.data)
    return (
      <div className="flex flex-col gap-4">
        <PageHeader title={title} description={description} />
        {begin.failure && <Notice tone="bad">{begin.failure}</Notice>}
        <Button kind="solid" size="lg" busy={begin.busy} onClick={() => begin.run({})}>
          Become an owner as {me.data.name}
        </Button>
      </div>
    );
  return (
    <>
      <NewUserForm
        title={title}
        description={description}
        email={email}
        onEmail={setEmail}
        action="Create owner"
        busy={begin.busy}
        failure={begin.failure}
        onSubmit={(user) => begin.run({ email: email.trim(), ...user })}
      />
      <p className="mt-5 text-muted text-sm">
        Already a Keyward user?{' '}
        <Link to="/login" search={{ next: '/setup' }} className="text-accent underline">
          Sign in
        </Link>
      </p>
    </>
  );
}

const isMalformed = (error: unknown): boolean =>
  error instanceof KeywardError && error.code === 'invalid_body';
