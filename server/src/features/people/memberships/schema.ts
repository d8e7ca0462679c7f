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

export const Teammate = Type.Object(
  {
    id: Id('usr', 'the user'),
    name: Type.String(),
    email: Type.String(),
    accountId: Id('acc', 'the account'),
    role: Role,
    projectIds: ProjectIds,
    twoFactorEnabled: Type.Boolean(),
    lastSignedInAt: nullable(Time),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Teammate' },
);
export type Teammate = Static<typeof Teammate>;

export const ListTeammates = strict({
  accountId: AccountOfRequest,
  projectId: Type.Optional(Id('prj', 'a project (lists only users with access to it)')),
  ...PageQuery,
});
export type ListTeammates = Static<typeof ListTeammates>;

export const UserParams = strict({ id: titled('UserId', Id('usr', 'the user')) });

export const DeleteUserRole = strict({
  accountId: AccountOfRequest,
  projectId: Type.Optional(
    Id(
      'prj',
      'the project to remove from the role (without it, the user is removed from the account)',
    ),
  ),
});
export type DeleteUserRole = Static<typeof DeleteUserRole>;

/** For users with several accounts: the account must be known before the body is read. */
export const UpdateUserRoleQuery = strict({ accountId: AccountOfRequest });

export const UserRole = Type.Object(
  {
    userId: Id('usr', 'the user'),
    accountId: Id('acc', 'the account'),
    role: Role,
    projectIds: ProjectIds,
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'UserRole' },
);
export type UserRole = Static<typeof UserRole>;

export const UpdateUserRole = strict(
  { role: Role, projectIds: Type.Optional(ProjectIds), accountId: AccountOfRequest },
  'UpdateUserRole',
);
export type UpdateUserRole = Static<typeof UpdateUserRole>;
