import { useMe } from '../../api/me.ts';
import { Failure } from '../../components/feedback/failure.tsx';
import { PageSkeleton } from '../../components/feedback/loading.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { AppearanceCard } from './appearance-card.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { ProvidersCard } from './providers-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { TwoFactorCard } from './two-factor-card.tsx';

/** Settings of the user, the same in all accounts. */
export function SettingsPage() {
  const me = useMe();
  return (
    <div className="flex w-full max-w-3xl flex-col gap-6">
      <PageHeader title="Settings" description="Your personal settings, in all accounts." />
      {me.isPending && <PageSkeleton />}
      {me.isError && <Failure error={me.error} onRetry={() => me.refetch()} />}
      {me.data && (
        <>
          <ProfileCard key={me.data.name} name={me.data.name} email={me.data.email} />
          <PasswordCard />
          <TwoFactorCard isOn={me.data.twoFactorEnabled} />
          <PasskeysCard />
          <ProvidersCard />
          <SessionsCard />
        </>
      )}
      <AppearanceCard />
    </div>
  );
}
