import Type, { type Static } from 'typebox';
import { Id, Name, PageQuery, strict, Time } from '../../kernel/schemas.ts';

const Env = Type.Union([Type.Literal('live'), Type.Literal('test')]);

/** Who created and last changed a project or account. */
export const provenanceFields = {
  isActive: Type.Boolean(),
  createdBy: Type.String({
    description: 'Id of the person or access key, or `operator` for the CLI.',
  }),
  createdByType: Type.Union([Type.Literal('USER'), Type.Literal('ACCESS_KEY')]),
  createdIn: Type.String({ description: '`api`, `dashboard`, `cli` or `setup`.' }),
  lastChangedBy: Type.String(),
  lastChangedByType: Type.Union([Type.Literal('USER'), Type.Literal('ACCESS_KEY')]),
  createdAt: Time,
  updatedAt: Time,
};

export const Project = Type.Object(
  {
    id: Id('prj', 'the project'),
    name: Name,
    accountId: Id('acc', 'its account'),
    env: Env,
    ...provenanceFields,
  },
  { title: 'Project' },
);
export type Project = Static<typeof Project>;

export const CreateProject = strict(
  {
    name: Name,
    accountId: Type.Optional(Id('acc', 'the account (default: the account of the access key)')),
    env: Type.Optional(Env),
  },
  'CreateProject',
);
export type CreateProject = Static<typeof CreateProject>;

export const UpdateProject = strict({ name: Name }, 'UpdateProject');

export const ProjectParams = strict({ id: Id('prj', 'the project') });

export const ListProjects = strict({
  accountId: Type.Optional(Id('acc', 'the account (default: the account of the access key)')),
  ...PageQuery,
});
export type ListProjects = Static<typeof ListProjects>;
