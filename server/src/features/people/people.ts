import type { Counters } from '../../cluster/counters/counters.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Secrets } from '../../kernel/crypto.ts';
import type { MakeId } from '../../kernel/ids.ts';
import type { Storage } from '../../storage/index.ts';
import type { ChangeRunner } from '../changes/index.ts';
import { Acceptance } from './invitations/acceptance.ts';
import { Joining } from './joining.ts';
import { AuthCalls } from './login/auth-calls.ts';
import { Confirmation } from './login/confirmation.ts';
import { KnownBrowsers } from './login/known-browsers.ts';
import { OwnLogin } from './login/own-login.ts';
import { OwnPasskeys } from './login/own-passkeys.ts';
import { OwnSessions } from './login/own-sessions.ts';
import { PasswordHasher } from './login/password-hash.ts';
import { PasswordResets, resetLink } from './login/password-resets.ts';
import { ProviderSignIn } from './login/provider-sign-in.ts';
import type { LoginProviders } from './login/providers.ts';
import { SecurityLog } from './login/security-log.ts';
import type { Sessions } from './login/sessions.ts';
import { SignIn } from './login/sign-in.ts';
import { SignInLimits } from './login/sign-in-limits.ts';
import type { MailQueue } from './mail/mail-queue.ts';
import { resetMail } from './mail/messages.ts';
import { MembershipService } from './memberships/service.ts';
import { MyProfile } from './my-profile.ts';
import { OperatorService } from './operator/service.ts';
import { Setup } from './setup/setup.ts';

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
  /** For what goes wrong where nobody waits. */
  readonly onError: (error: unknown) => void;
}

export interface People {
  readonly signIn: SignIn;
  readonly setup: Setup;
  readonly profile: MyProfile;
  readonly ownSessions: OwnSessions;
  readonly ownLogin: OwnLogin;
  readonly ownPasskeys: OwnPasskeys;
  readonly confirmation: Confirmation;
  readonly acceptance: Acceptance;
  readonly members: MembershipService;
  readonly resets: PasswordResets;
  readonly providers: ProviderSignIn;
  readonly operator: OperatorService;
}

/** Everything about people, put together. */
export function createPeople(parts: PeopleParts): People {
  const { storage, changes, clock } = parts;
  const hasher = new PasswordHasher();
  const limits = new SignInLimits(parts.counters, clock);
  const log = new SecurityLog(storage, changes);
  const browsers = new KnownBrowsers({ storage, clock });
  const { mails } = parts;
  const mailIsSet = mails.isSet;
  const sendReset = ({ email, name }: { email: string; name: string }, token: string): void => {
    const mail = resetMail(email, name, resetLink(parts.publicUrl(), token));
    mails.send(mail, clock()).catch(parts.onError);
  };
  const authParts = { ...parts, hasher, sendReset: mailIsSet ? sendReset : null };
  const calls = new AuthCalls({ ...authParts, providers: {} });
  // Apart, so that nobody with a password waits for an issuer elsewhere.
  const providerCalls = new AuthCalls(authParts);
  const confirmation = new Confirmation({ storage, calls, limits, clock });
  const signIn = new SignIn({ ...parts, calls, limits, browsers, log, mailIsSet });
  const joining = new Joining({ ...parts, hasher, signIn });
  return {
    signIn,
    setup: new Setup({ ...parts, joining, limits }),
    acceptance: new Acceptance({ ...parts, joining, limits }),
    members: new MembershipService({ storage, changes }),
    resets: new PasswordResets({ ...parts, calls, limits, browsers, log, mailIsSet }),
    providers: new ProviderSignIn({ ...parts, calls: providerCalls, limits, signIn, confirmation }),
    operator: new OperatorService({ ...parts, calls, log }),
    profile: new MyProfile({ storage, log, clock }),
    ownSessions: new OwnSessions({ storage, log, clock, browsers }),
    ownLogin: new OwnLogin({ calls, limits, log, browsers }),
    ownPasskeys: new OwnPasskeys({ storage, calls, log, confirmation }),
    confirmation,
  };
}
