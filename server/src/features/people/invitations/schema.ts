import Type, { type Static } from 'typebox';
import { Id, nullable, PageQuery, strict, Time } from '../../../kernel/schemas.ts';
import { ProjectIds, Role } from '../schema.ts';

export const InvitationStatus = Type.Union(
  [
    Type.Literal('pending'),
    Type.Literal('accepted'),
    Type.Literal('cancelled'),
    Type.Literal('expired'),
  ],
  { description: 'Only a pending invitation can be changed or accepted.' },
);
export type InvitationStatus = Static<typeof InvitationStatus>;

const invitationFields = {
  id: Id('inv', 'the invitation'),
  email: Type.String({ examples: ['ada@example.com'] }),
  role: Role,
  accountId: Id('acc', 'the account that the person is invited to'),
  projectIds: ProjectIds,
  status: InvitationStatus,
  invitedBy: Type.String({ description: 'Id of whoever made the invitation.' }),
  createdAt: Time,
  updatedAt: Time,
  expiresAt: Time,
  acceptedBy: nullable(Type.String({ description: 'Id of the person who accepted.' })),
  emailStatus: nullable(
    Type.Union([Type.Literal('queued'), Type.Literal('sent'), Type.Literal('failed')], {
      description: '`null`: it was not sent by mail, but handed over as a link.',
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
          'Where the person accepts. It holds the one-time token and is shown in this answer only. `null` where it goes out by mail: then nobody but its reader has it.',
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
      description: 'Whom to invite. An address named twice is invited once.',
      examples: [['ada@example.com', 'grace@example.com']],
    }),
    role: Role,
    accountId: Type.Optional(Id('acc', 'the account; by default that of the access key')),
    projectIds: Type.Optional(ProjectIds),
  },
  'CreateInvitations',
);
export type CreateInvitations = Static<typeof CreateInvitations>;

export const UpdateInvitation = strict({ role: Role }, 'UpdateInvitation');
export type UpdateInvitation = Static<typeof UpdateInvitation>;

export const InvitationParams = strict({ id: Id('inv', 'the invitation') });

export const ListInvitations = strict({
  accountId: Type.Optional(Id('acc', 'the account')),
  projectId: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Only invitations narrowed to this project, or to it among others.',
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
    inviter: Type.String({ description: 'Name of the person or the access key that invites.' }),
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
            '`link`: hand it over by yourself. By default by mail, where that is set up.',
        }),
      ),
    },
    'ResendInvitation',
  ),
);
