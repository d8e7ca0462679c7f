import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
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
import { NewUserForm } from './new-user-form.tsx';

const route = getRouteApi('/signed-out/invitations/$invitationId');

const CLOSED = {
  accepted: 'It has already been accepted. Sign in instead.',
  cancelled: 'It was cancelled. Ask for a new invitation.',
  expired: 'It has expired. Ask for a new invitation.',
};

export function InvitationPage() {
  const { invitationId } = route.useParams();
  const token = useLinkToken();
  const enter = useEnter();
  const info = useQuery({
    queryKey: ['invitation-info', invitationId],
    queryFn: ({ signal }) => keyward.invitations.info(invitationId, { signal }),
  });
  const me = useQuery(meQuery);
  const accept = useAction(async (user: { name?: string; password?: string }) => {
    await keyward.invitations.accept(invitationId, { token: token ?? '', ...user });
    forgetLinkTokens();
    await enter();
  });

  if (info.isPending || me.isPending) return <Spinner label="Loading the invitation…" />;
  const problem =
    token === null
      ? 'This link is incomplete. Open it from the email again, or copy the whole link.'
      : info.isError
        ? explain(info.error)
        : info.data.status === 'pending'
          ? null
          : CLOSED[info.data.status];
  if (problem !== null || !info.data) {
    return (
      <div className="flex flex-col gap-4">
        <PageHeader title="Invitation" />
        <Notice tone="bad" title="This invitation cannot be accepted">
          {problem}
        </Notice>
      </div>
    );
  }
  const { accountName, inviter, role } = info.data;
  const title = `Join ${accountName}`;
  const description = `${inviter} invited you as ${role}.`;
  if (!me.data) {
    return (
      <>
        <NewUserForm
          title={title}
          description={description}
          action="Join"
          busy={accept.busy}
          failure={accept.failure}
          onSubmit={accept.run}
        />
        <p className="mt-5 text-muted text-sm">
          Already a Keyward user?{' '}
          <Link
            to="/login"
            search={{ next: `/invitations/${invitationId}` }}
            className="text-accent underline"
          >
            Sign in
          </Link>
        </p>
      </>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <PageHeader title={title} description={description} />
      {accept.failure && <Notice tone="bad">{accept.failure}</Notice>}
      <Button kind="solid" size="lg" busy={accept.busy} onClick={() => accept.run({})}>
        Join as {me.data.name}
      </Button>
    </div>
  );
}
