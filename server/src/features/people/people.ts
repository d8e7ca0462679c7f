import type { Counters } from '../../cluster/counters/counters.ts';
import type { MakeId } from '../../kernel/ids.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { allowedOnFullDisk, type Storage } from '../../storage/index.ts';
import type { ChangeRunner } from '../changes/index.ts';
import { AcceptanceService } from './invitations/acceptance.ts';
import { Joining } from './joining.ts';
import type { AuthParts } from './login/better-auth/auth.ts';
import { AuthCalls } from './login/better-auth/calls.ts';
import { PasskeyService } from './login/passkeys/service.ts';
import { PasswordHasher } from './login/passwords/hasher.ts';
import { PasswordService, resetLink } from './login/passwords/service.ts';
import { ProviderService } from './login/providers/service.ts';
import type { LoginProviders } from './login/providers/settings.ts';
import { SecurityLog } from './login/security-log.ts';
import { Confirmation } from './login/sessions/confirmation.ts';
import { SessionService } from './login/sessions/service.ts';
import type { Sessions } from './login/sessions/sessions.ts';
import { KnownBrowsers } from './login/sign-in/known-browsers.ts';
import { SignInLimits } from './login/sign-in/limits.ts';
import { SignInService } from './login/sign-in/service.ts';
import { TwoFactorService } from './login/two-factor/service.ts';
import { resetMail } from './mail/messages.ts';
import type { MailQueue } from './mail/queue.ts';
import { MembershipService } from './memberships/service.ts';
import { OperatorService } from './operator/service.ts';
import { ProfileService } from './profile/service.ts';
import { SetupService } from './setup/service.ts';

export interface PeopleParts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly sessions: Sessions;
  readonly counters: Counters;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly clock: Clock;
  readonly publicUrl: () => string;
  readonly providers: LoginProviders;
  readonly mails: MailQueue;
  /** Reports errors of work that no request waits for. */
  readonly onError: (error: unknown) => void;
}

/** The services behind the routes about people. */
export interface People {
  readonly signIn: SignInService;
  readonly providers: ProviderService;
  readonly passwords: PasswordService;
  readonly twoFactor: TwoFactorService;
  readonly passkeys: PasskeyService;
  readonly sessions: SessionService;
  readonly confirmation: Confirmation;
  readonly profile: ProfileService;
  readonly setup: SetupService;
  readonly acceptance: AcceptanceService;
  readonly members: MembershipService;
  readonly operator: OperatorService;
}

export function createPeople(parts: PeopleParts): People {
  const { storage, changes, clock, mails } = parts;
  const hasher = new PasswordHasher();
  const limits = new SignInLimits(parts.counters, clock);
  const log = new SecurityLog(changes);
  // Signing in and ending sessions must be possible on a full disk, to revoke keys. Each of their changes follows a
  // proof of identity, so that nobody else can use up the reserve of the disk.
  const onFullDisk = {
    storage: allowedOnFullDisk(storage),
    log: new SecurityLog(changes.onFullDisk),
  };
  const browsers = new KnownBrowsers({ storage: onFullDisk.storage, clock });
  const mailIsConfigured = mails.isConfigured;
  const sendReset = ({ email, name }: { email: string; name: string }, token: string): void => {
    const mail = resetMail(email, name, resetLink(parts.publicUrl(), token));
    mails.enqueue(mail, clock()).catch(parts.onError);
  };
  const onLinked: AuthParts['onLinked'] = (userId, provider, from) => {
    const principal = parts.sessions.personal({ userId, sessionId: '' });
    return log.record({ ...from, principal }, userId, 'user.provider-linked', { provider });
  };
  const authParts = { ...parts, hasher, sendReset: mailIsConfigured ? sendReset : null, onLinked };
  const calls = new AuthCalls({ ...authParts, providers: {} });
  // A second instance, so that a sign-in with a password never waits for an identity provider.
  const providerCalls = new AuthCalls(authParts);
  const proofCalls = new AuthCalls({ ...authParts, ...onFullDisk, providers: {} });
  const confirmation = new Confirmation({ storage, calls, limits, clock });
  const signIn = new SignInService({
    ...parts,
    ...onFullDisk,
    calls,
    proofCalls,
    limits,
    browsers,
    mailIsConfigured,
  });
  const joining = new Joining({ ...parts, hasher, signIn });
  return {
    signIn,
    providers: new ProviderService({
      ...parts,
      calls: providerCalls,
      limits,
      log,
      signIn,
      confirmation,
    }),
    passwords: new PasswordService({ ...parts, calls, limits, browsers, log, mailIsConfigured }),
    twoFactor: new TwoFactorService({ calls, limits, log }),
    passkeys: new PasskeyService({ storage, calls, log, confirmation }),
    sessions: new SessionService({ ...onFullDisk, clock }),
    confirmation,
    profile: new ProfileService({ storage, log }),
    setup: new SetupService({ ...parts, joining, limits }),
    acceptance: new AcceptanceService({ ...parts, joining, limits }),
    members: new MembershipService({ storage, changes }),
    operator: new OperatorService({ ...parts, calls, log }),
  };
}

/** Deletes expired sessions, sign-in challenges, password-reset links and known browsers. */
export async function sweepExpiredLogins(storage: Storage, now: number): Promise<void> {
  await storage.transaction(async (tx) => {
    await tx.deleteFrom('sessions').where('expires_at', '<=', now).execute();
    await tx.deleteFrom('verifications').where('expires_at', '<=', now).execute();
    await tx.deleteFrom('known_browsers').where('expires_at', '<=', now).execute();
  });
}
