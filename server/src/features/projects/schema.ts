import Type, { type Static } from 'typebox';
import {
  AccountOfRequest,
  Id,
  Name,
  nullable,
  PageQuery,
  strict,
  Time,
  titled,
} from '../../kernel/schemas.ts';
import { Notices, NoticesInput, UsageEvents, UsageEventsInput } from './notices.ts';

const Env = Type.Union([Type.Literal('live'), Type.Literal('test')]);

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

const KeyPrefix = Type.String({
  minLength: 1,
  maxLength: 33,
  description:
    'What new key values of the project begin with. One or two lower-case words, each followed by `_`. Null: `live_` or `test_`. Existing values do not change.',
  examples: ['acme_live_'],
});

const DefaultPlanId = Id('pln', 'the plan of a key if neither the key nor its customer has one');

const BrandName = { ...Name, description: 'The name that customers see.' };

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

const PortalOrigins = Type.Array(
  Type.String({ minLength: 1, maxLength: 255, examples: ['https://app.example.com'] }),
  {
    maxItems: 20,
    description:
      'Sites that may embed the portal page, use `keyward/react`, or be the `returnUrl` of a session.',
  },
);

const portalInput = {
  branding: Type.Optional(nullable(BrandingInput)),
  portalOrigins: Type.Optional(nullable(PortalOrigins)),
};

const OnLeak = Type.Union([Type.Literal('notify'), Type.Literal('revoke')], {
  description:
    'What happens when the value of one of its keys or access keys is reported as leaked: an event only, or the key is also revoked.',
});

export const Project = Type.Object(
  {
    id: Id('prj', 'the project'),
    name: Name,
    accountId: Id('acc', 'its account'),
    env: Env,
    keyPrefix: nullable(KeyPrefix),
    defaultPlanId: nullable(DefaultPlanId),
    branding: Branding,
    portalOrigins: PortalOrigins,
    onLeak: OnLeak,
    notices: Notices,
    usageEvents: nullable(UsageEvents),
    ...provenanceFields,
  },
  { title: 'Project' },
);
export type Project = Static<typeof Project>;

export const CreateProject = strict(
  {
    name: Name,
    accountId: AccountOfRequest,
    env: Type.Optional(Env),
    keyPrefix: Type.Optional(nullable(KeyPrefix)),
    ...portalInput,
    onLeak: Type.Optional(OnLeak),
  },
  'CreateProject',
);
export type CreateProject = Static<typeof CreateProject>;

export const UpdateProject = Type.Object(
  {
    name: Type.Optional(Name),
    keyPrefix: Type.Optional(nullable(KeyPrefix)),
    defaultPlanId: Type.Optional(nullable(DefaultPlanId)),
    ...portalInput,
    onLeak: Type.Optional(OnLeak),
    notices: Type.Optional(NoticesInput),
    usageEvents: Type.Optional(nullable(UsageEventsInput)),
  },
  { additionalProperties: false, minProperties: 1, title: 'UpdateProject' },
);
export type UpdateProject = Static<typeof UpdateProject>;

export const ProjectParams = strict({ id: titled('ProjectId', Id('prj', 'the project')) });

export const ListProjects = strict({
  accountId: AccountOfRequest,
  ...PageQuery,
});
export type ListProjects = Static<typeof ListProjects>;
