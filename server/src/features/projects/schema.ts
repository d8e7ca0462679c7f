import { PROJECT } from '@keyward/rules/resources/project.ts';
import Type, { type Static } from 'typebox';
import {
  AccountOfRequest,
  Id,
  NameOf,
  nullable,
  PageQuery,
  someOf,
  strict,
  Time,
  titled,
} from '../../kernel/schemas.ts';
import { createSchemas, outputSchemas, updateSchemas, without } from '../fields/index.ts';
import { Notices, NoticesInput, UsageEvents, UsageEventsInput } from './notices.ts';

/** Who created and last changed a project or account. */
export const provenanceFields = {
  isActive: Type.Boolean(),
  createdBy: Type.String({
    description: 'Id of the user or access key, or `operator` for the CLI.',
  }),
  createdByType: Type.Union([Type.Literal('USER'), Type.Literal('ACCESS_KEY')]),
  createdIn: Type.String({ description: '`api`, `dashboard`, `cli` or `setup`.' }),
  lastChangedBy: Type.String(),
  lastChangedByType: Type.Union([Type.Literal('USER'), Type.Literal('ACCESS_KEY')]),
  createdAt: Time,
  updatedAt: Time,
};

const BrandName = NameOf('The name that customers see.');

const AccentColor = Type.String({
  pattern: '^#[0-9A-Fa-f]{6}$',
  description: 'The color of buttons and links.',
  examples: ['#0b6e4f'],
});

/** How the portal looks. */
export const Branding = Type.Object(
  {
    name: nullable(BrandName),
    logo: nullable(
      Type.String({ description: 'Path of the image on this server, which serves it to anyone.' }),
    ),
    accentColor: nullable(AccentColor),
  },
  { title: 'Branding' },
);
export type Branding = Static<typeof Branding>;

const BrandingInput = strict(
  {
    name: Type.Optional(nullable(BrandName)),
    logo: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          // 32 KB in base64, with `data:image/png;base64,` in front.
          maxLength: 43_714,
          description: 'A PNG image of at most 32 KB and 1,024 pixels, in base64 or as a data URL.',
        }),
      ),
    ),
    accentColor: Type.Optional(nullable(AccentColor)),
  },
  'BrandingInput',
);
export type BrandingInput = Static<typeof BrandingInput>;

const branding = Type.Optional(nullable(BrandingInput));

const { name, portalOrigins, onLeak, ...fields } = outputSchemas(PROJECT);

export const Project = Type.Object(
  {
    id: Id('prj', 'the project'),
    name,
    accountId: Id('acc', 'its account'),
    ...fields,
    branding: Branding,
    portalOrigins,
    onLeak,
    notices: Notices,
    usageEvents: nullable(UsageEvents),
    ...provenanceFields,
  },
  { title: 'Project' },
);
export type Project = Static<typeof Project>;

// A plan belongs to a project, so a new project has none.
const { name: _, ...createSettings } = createSchemas(without(PROJECT, { defaultPlanId: true }));

export const CreateProject = strict(
  { name, accountId: AccountOfRequest, ...createSettings, branding },
  'CreateProject',
);
export type CreateProject = Static<typeof CreateProject>;

export const UpdateProject = someOf(
  {
    ...updateSchemas(PROJECT),
    branding,
    notices: Type.Optional(NoticesInput),
    usageEvents: Type.Optional(nullable(UsageEventsInput)),
  },
  'UpdateProject',
);
export type UpdateProject = Static<typeof UpdateProject>;

export const ProjectParams = strict({ id: titled('ProjectId', Id('prj', 'the project')) });

export const ListProjects = strict({
  accountId: AccountOfRequest,
  ...PageQuery,
});
export type ListProjects = Static<typeof ListProjects>;
