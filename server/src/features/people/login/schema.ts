import Type, { type Static } from 'typebox';
import { Id, nullable, strict, Time, titled } from '../../../kernel/schemas.ts';

const Email = Type.String({ minLength: 3, maxLength: 254, examples: ['ada@example.com'] });
const Password = Type.String({ minLength: 1, maxLength: 1024 });
const NewPassword = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: '12 to 256 characters. Common passwords are rejected.',
});
const PersonName = Type.String({ minLength: 1, maxLength: 256 });
const Token = Type.String({ minLength: 16, maxLength: 256, description: 'From the link.' });

export const SignInPassword = strict(
  {
    email: Email,
    password: Password,
    rememberMe: Type.Optional(
      Type.Boolean({
        description: 'If `false`, the session ends when the browser is closed, or after one day.',
      }),
    ),
  },
  'SignInPassword',
);
export type SignInPassword = Static<typeof SignInPassword>;

export const SignInResult = Type.Object(
  {
    status: Type.Union([Type.Literal('signed-in'), Type.Literal('second-factor-required')], {
      description: 'If a second factor is required, the session starts after it.',
    }),
  },
  { title: 'SignInResult' },
);

export const SignInMethods = Type.Object(
  {
    password: Type.Boolean(),
    passkey: Type.Boolean({
      description:
        'Whether passkeys can be used. They require a host name; an IP address is not enough.',
    }),
    providers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
    resetByMail: Type.Boolean({
      description: 'Whether a forgotten password can be reset by mail.',
    }),
    needsSetup: Type.Boolean({
      description: 'True until the first owner has used the setup link from the server output.',
    }),
  },
  { title: 'SignInMethods' },
);
export type SignInMethods = Static<typeof SignInMethods>;

export const TotpCode = strict({ code: Type.String({ pattern: '^[0-9]{6}$' }) }, 'TotpCode');
export const RecoveryCode = strict(
  { code: Type.String({ minLength: 8, maxLength: 64 }) },
  'RecoveryCode',
);

/** The result of the browser's WebAuthn call; better-auth checks it. */
const PasskeyResponse = Type.Object({}, { additionalProperties: true });
export const SignInPasskey = strict({ response: PasskeyResponse }, 'SignInPasskey');

export const SetupInfo = Type.Object(
  { accountName: Type.String(), expiresAt: Time },
  { title: 'SetupInfo' },
);
export type SetupInfo = Static<typeof SetupInfo>;

export const SetupToken = strict({ token: Token }, 'SetupToken');
/** A signed-in user sends only the token. */
export const SetupForm = strict(
  {
    token: Token,
    name: Type.Optional(PersonName),
    email: Type.Optional(Email),
    password: Type.Optional(NewPassword),
  },
  'Setup',
);
export type SetupForm = Static<typeof SetupForm>;

const AccountRole = Type.Object(
  {
    accountId: Id('acc', 'the account'),
    accountName: Type.String(),
    role: Type.String({ description: 'owner, admin, developer or viewer.' }),
    projectIds: nullable(Type.Array(Type.String())),
  },
  { title: 'AccountRole' },
);

export const Me = Type.Object(
  {
    id: Id('usr', 'the user'),
    name: Type.String(),
    email: Type.String(),
    emailVerified: Type.Boolean(),
    twoFactorEnabled: Type.Boolean(),
    hasPassword: Type.Boolean({ description: 'Always true: everyone sets one when they join.' }),
    createdAt: Time,
    sessionId: Id('ses', 'this session'),
    accounts: Type.Array(AccountRole),
  },
  { title: 'Me' },
);
export type Me = Static<typeof Me>;

export const UpdateMe = strict({ name: PersonName }, 'UpdateMe');

export const Session = Type.Object(
  {
    id: Id('ses', 'the session'),
    isCurrent: Type.Boolean(),
    clientAddress: nullable(Type.String()),
    userAgent: nullable(Type.String()),
    createdAt: Time,
    updatedAt: Time,
    expiresAt: Time,
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;
export const SessionParams = strict({ id: Id('ses', 'the session') });

export const ChangePassword = strict(
  { currentPassword: Password, newPassword: NewPassword },
  'ChangePassword',
);
export type ChangePassword = Static<typeof ChangePassword>;
export const ConfirmPassword = strict({ password: Password }, 'ConfirmPassword');

export const ConfirmIdentity = strict(
  { password: Type.Optional(Password), response: Type.Optional(PasskeyResponse) },
  'ConfirmIdentity',
);
export type ConfirmIdentity = Static<typeof ConfirmIdentity>;
export const Confirmed = Type.Object({ confirmedUntil: Time }, { title: 'Confirmed' });

export const NewTwoFactor = Type.Object(
  {
    totpUri: Type.String({ description: '`otpauth://…`, for the QR code.' }),
    recoveryCodes: Type.Array(Type.String(), {
      description: 'Shown only once. Each code works once.',
    }),
  },
  { title: 'NewTwoFactor' },
);
export const RecoveryCodes = Type.Object(
  { recoveryCodes: Type.Array(Type.String()) },
  { title: 'RecoveryCodes' },
);

export const Passkey = Type.Object(
  { id: Id('psk', 'the passkey'), name: nullable(Type.String()), createdAt: nullable(Time) },
  { title: 'Passkey' },
);
export type Passkey = Static<typeof Passkey>;
export const PasskeyParams = strict({ id: titled('PasskeyId', Id('psk', 'the passkey')) });
export const NewPasskey = strict({ name: PersonName, response: PasskeyResponse }, 'NewPasskey');
export const RenamePasskey = strict({ name: PersonName }, 'RenamePasskey');

export const ForgottenPassword = strict({ email: Email }, 'ForgottenPassword');
export const ResetPassword = strict({ token: Token, password: NewPassword }, 'ResetPassword');
export type ResetPassword = Static<typeof ResetPassword>;

export const ProviderChoice = strict(
  { provider: Type.String({ minLength: 1, maxLength: 32, description: 'From `/auth/methods`.' }) },
  'ProviderChoice',
);
export const ProviderAddress = Type.Object({ url: Type.String() }, { title: 'ProviderAddress' });
export const LinkedProvider = Type.Object(
  {
    id: Type.String({ description: 'As in `/auth/methods`.' }),
    name: Type.String({ description: 'The id, if the provider is no longer configured.' }),
    createdAt: Time,
  },
  { title: 'LinkedProvider' },
);
export type LinkedProvider = Static<typeof LinkedProvider>;
export const ProviderParams = strict({ id: Type.String({ title: 'ProviderId', maxLength: 32 }) });

/** The parameters that providers send; others are ignored. */
export const ProviderReturn = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 4096 })),
  state: Type.Optional(Type.String({ maxLength: 4096 })),
  error: Type.Optional(Type.String({ maxLength: 1024 })),
  error_description: Type.Optional(Type.String({ maxLength: 4096 })),
  iss: Type.Optional(Type.String({ maxLength: 1024 })),
});
