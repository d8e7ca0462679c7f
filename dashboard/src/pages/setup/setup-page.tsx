import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keyward } from '../../api/client.ts';
import { useLinkToken } from '../../app/session/link-token.ts';
import { useEnter } from '../../app/session/session.ts';
import { Spinner } from '../../components/feedback/loading.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { explain } from '../../text/explain.ts';
import { NewPersonForm } from '../invitation/new-person-form.tsx';

/** The one-time link of the first start: whoever holds it becomes the first owner. */
export function SetupPage() {
  const token = useLinkToken();
  const enter = useEnter();
  const [email, setEmail] = useState('');
  // Keyed by nothing of the token: what is secret stays out of the cache's keys as well.
  const info = useQuery({
    queryKey: ['setup-info'],
    queryFn: () => keyward.signIn.setupInfo({ token: token ?? '' }),
    enabled: token !== null,
    gcTime: 0,
  });
  const begin = useAction(async (person: { name: string; password: string }) => {
    await keyward.signIn.setUp({ token: token ?? '', email: email.trim(), ...person });
    await enter();
  });

  if (token === null || info.isError) {
    return (
      <div className="flex flex-col gap-4">
        <PageHeader title="Set up" />
        <Notice tone="bad" title="This link does not work">
          {token === null
            ? 'Open the whole link that the first start printed.'
            : explain(info.error)}
        </Notice>
      </div>
    );
  }
  if (!info.data) return <Spinner label="Checking the link…" />;
  return (
    <NewPersonForm
      title="Welcome to Keyward"
      description={`You become the first owner of ${info.data.accountName}.`}
      email={email}
      onEmail={setEmail}
      action="Create my login"
      busy={begin.busy}
      failure={begin.failure}
      onSubmit={begin.run}
    />
  );
}
