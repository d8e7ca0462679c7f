import Type, { type Static } from 'typebox';
import {
  AccountOfRequest,
  Id,
  nullable,
  PageQuery,
  strict,
  Time,
  titled,
} from '../../../kernel/schemas.ts';
import { ProjectIds, Role } from '../schema.ts';

export const InvitationStatus = Type.Union(
  [
    Type.Literal('pending'),
    Type.Literal('accepted'),
    Type.Literal('cancelled'),
    Type.Literal('expired'),
  ],
  { description: 'Only a pending invitation can be accepted or get another role.' },
);
export type InvitationStatus = Static<typeof InvitationStatus>;

const invitationFields = {
  id: Id('inv', 'the invitation'),
  email: Type.String({ examples: ['ada@example.com'] }),
  role: Role,
  accountId: Id('acc', 'the account that the user is invited to'),
  projectIds: ProjectIds,
  status: InvitationStatus,
  invitedBy: Type.String({
    description: 'Id of the user or access key that created the invitation.',
  }),
  createdAt: Time,
  updatedAt: Time,
  expiresAt: Time,
  acceptedBy: nullable(Type.String({ description: 'Id of the user who accepted.' })),
  emailStatus: nullable(
    Type.Union([Type.Literal('queued'), Type.Literal('sent'), Type.Literal('failed')], {
      description: 'The status of the email. `null` if the invitation was not sent by email.',
    }),
  ),
};

export const Invitation = Type.Object(invitationFields, { title: 'Invitation' });
export type Invitation = Static<typeof Invitation>;

export const CreatedInvitation = Type.Object(
  {
    ...invitationFields,
    link: nullable(
      Type.String({
        description:
          'The page where the user accepts the invitation. It contains the one-time token and is shown only in this response. `null` if it is sent by email, so that only the recipient has it.',
      }),
    ),
  },
  { title: 'CreatedInvitation' },
);
export type CreatedInvitation = Static<typeof CreatedInvitation>;

export const CreateInvitations = strict(
  {
    emails: Type.Array(Type.String({ minLength: 1, maxLength: 320 }), {
      minItems: 1,
      maxItems: 50,
      description: 'The addresses to invite. Duplicates are ignored.',
      examples: [['ada@example.com', 'grace@example.com']],
    }),
    role: Role,
    accountId: AccountOfRequest,
    projectIds: Type.Optional(ProjectIds),
  },
  'CreateInvitations',
);
export type CreateInvitations = Static<typeof CreateInvitations>;

export const UpdateInvitation = strict({ role: Role }, 'UpdateInvitation');
export type UpdateInvitation = Static<typeof UpdateInvitation>;

export const InvitationParams = strict({
  id: titled('InvitationId', Id('inv', 'the invitation')),
});

export const ListInvitations = strict({
  accountId: AccountOfRequest,
  projectId: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Only invitations whose `projectIds` include this project.',
    }),
  ),
  status: Type.Optional(InvitationStatus),
  ...PageQuery,
});
export type ListInvitations = Static<typeof ListInvitations>;

/** Visible to everyone who knows the id. */
export const InvitationInfo = Type.Object(
  {
    accountName: Type.String(),
    inviter: Type.String({
      description: 'Name of the user or access key that created the invitation.',
    }),
    role: Role,
    status: InvitationStatus,
  },
  { title: 'InvitationInfo' },
);
export type InvitationInfo = Static<typeof InvitationInfo>;

export const AcceptInvitation = strict(
  {
    token: Type.String({ minLength: 16, maxLength: 256, description: 'From the link.' }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  },
  'AcceptInvitation',
);
export type AcceptInvitation = Static<typeof AcceptInvitation>;

export const ResendInvitation = Type.Optional(
  strict(
    {
      by: Type.Optional(
        Type.Union([Type.Literal('mail'), Type.Literal('link')], {
          description:
            '`mail` sends the link by email. `link` returns it, so that you can pass it on. Defaults to `mail` if a mail server is configured.',
        }),
      ),
    },
    'ResendInvitation',
  ),
);
