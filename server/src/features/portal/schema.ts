import { PERMISSIONS_MAX } from '@keyward/rules/permissions.ts';
import Type, { type Static } from 'typebox';
import { PORTAL_ACTIONS } from '../../kernel/authority.ts';
import {
  CustomId,
  GraceSeconds,
  Id,
  Name,
  nullable,
  PageQuery,
  Rotation,
  strict,
  Time,
  TimeInput,
  titled,
} from '../../kernel/schemas.ts';
import { portalUsageFields } from '../analytics/index.ts';
import { Credits } from '../credits/index.ts';
import { LimitSize, LimitWindow, limitExtras, Permissions } from '../policies/index.ts';
import { Branding } from '../projects/index.ts';

const CustomAccountId = {
  ...CustomId,
  description: 'The `customAccountId` of the customer. No customer record is needed.',
};

const Allow = Type.Array(Type.Enum([...PORTAL_ACTIONS]), {
  minItems: 1,
  maxItems: PORTAL_ACTIONS.length,
  uniqueItems: true,
  description:
    'What the customer may do. `keys:read` needs your scope `keys:read`, `usage:read` needs `analytics:read`, and the others need `keys:write`. `keys:create` also lets the customer rename keys, and `usage:read` shows limits and credits. Default: everything that your scopes allow.',
});

/** Not empty: an empty list of a key means that it inherits its permissions. */
const SomePermissions = (description: string) =>
  Type.Array(Permissions.items, { minItems: 1, maxItems: PERMISSIONS_MAX, description });

const Cap = SomePermissions(
  'The permissions that a key created in the portal may have. A new key gets all of them, or those that the customer chooses. Null: keys inherit the permissions of their customer or plan.',
);

const ReturnUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'Where the portal links back to: `https`, or `http` on localhost or a loopback address. Its origin must be in `portalOrigins` of the project.',
  examples: ['https://app.example.com/settings'],
});

/** A session as the account sees it. */
export const PortalSession = Type.Object(
  {
    id: Id('pse', 'the session'),
    projectId: Id('prj', 'the project'),
    customAccountId: CustomAccountId,
    allow: Allow,
    permissions: nullable(Cap),
    returnUrl: nullable(ReturnUrl),
    createdBy: Type.String({ description: 'Id of the access key or user that created it.' }),
    createdAt: Time,
    expiresAt: Time,
  },
  { title: 'PortalSession' },
);
export type PortalSession = Static<typeof PortalSession>;

export const NewPortalSession = Type.Object(
  {
    ...PortalSession.properties,
    url: Type.String({
      description:
        'Link to the portal page. The token is in the fragment, which browsers do not send to servers.',
    }),
    token: Type.String({
      description: 'For `keyward/react`. Shown only in this response.',
      examples: ['portal_…'],
    }),
  },
  { title: 'NewPortalSession' },
);
export type NewPortalSession = Static<typeof NewPortalSession>;

export const CreatePortalSession = strict(
  {
    customAccountId: CustomAccountId,
    projectId: Type.Optional(Id('prj', 'the project')),
    allow: Type.Optional(Allow),
    permissions: Type.Optional(nullable(Cap)),
    returnUrl: Type.Optional(nullable(ReturnUrl)),
    expiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 86_400,
        description: 'How long the session is valid. Default: 3,600.',
      }),
    ),
  },
  'CreatePortalSession',
);
export type CreatePortalSession = Static<typeof CreatePortalSession>;

export const PortalSessionParams = strict({
  id: titled('PortalSessionId', Id('pse', 'the session')),
});

export const ListPortalSessions = strict({
  projectId: Type.Optional(Id('prj', 'the project')),
  customAccountId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  ...PageQuery,
});
export type ListPortalSessions = Static<typeof ListPortalSessions>;

/** A session as its customer sees it. */
export const OwnPortalSession = Type.Object(
  {
    customAccountId: CustomAccountId,
    customerName: nullable(Name),
    branding: Branding,
    allow: Allow,
    permissions: nullable(Cap),
    returnUrl: nullable(ReturnUrl),
    expiresAt: Time,
  },
  { title: 'OwnPortalSession' },
);
export type OwnPortalSession = Static<typeof OwnPortalSession>;

/** A limit that applies to a key, whether it is set on the key, the customer or the plan. */
const limitFields = {
  name: Type.String({
    description: 'The name of the limit. `default`: the limit in `rateLimitConfigs` of the key.',
    examples: ['day'],
  }),
  rateLimit: LimitSize,
  rateLimitTtl: Type.Optional(LimitWindow),
  unit: limitExtras.unit,
  for: limitExtras.for,
  interval: limitExtras.interval,
  timezone: limitExtras.timezone,
};

export const PortalApiKey = Type.Object(
  {
    id: Id('key', 'the key'),
    name: Name,
    key: Type.String({
      description:
        'The value of the key. Shown in full only in the response that creates it, and masked in all others.',
      examples: ['live_AbCdEf*********'],
    }),
    env: Type.Union([Type.Literal('live'), Type.Literal('test')]),
    isActive: Type.Boolean({ description: 'False: revoked.' }),
    startsAt: nullable(Time),
    expiresAt: nullable(Time),
    createdAt: Time,
    updatedAt: Time,
    lastUsedAt: nullable(Time),
    permissions: {
      ...Permissions,
      description: 'What the key may do, including what its customer and plan give it.',
    },
    limits: {
      ...nullable(
        Type.Array(
          Type.Object(
            {
              ...limitFields,
              isShared: Type.Boolean({ description: 'Whether all keys of the customer share it.' }),
            },
            { title: 'PortalKeyLimit' },
          ),
        ),
      ),
      description:
        'The limits that apply to the key. Null: the session does not allow `usage:read`.',
    },
    credits: {
      ...nullable(
        Type.Object(
          {
            ...Credits.properties,
            isShared: Type.Boolean({ description: 'Whether all keys of the customer share them.' }),
          },
          { title: 'PortalKeyCredits' },
        ),
      ),
      description:
        'The credits that the key takes from. Null: there are none, or the session does not allow `usage:read`.',
    },
    ...Rotation('key'),
  },
  { title: 'PortalApiKey' },
);
export type PortalApiKey = Static<typeof PortalApiKey>;

export const ListPortalApiKeys = strict({
  isActive: Type.Optional(Type.Boolean()),
  ...PageQuery,
});
export type ListPortalApiKeys = Static<typeof ListPortalApiKeys>;

export const CreatePortalApiKey = strict(
  {
    name: Name,
    permissions: Type.Optional(
      SomePermissions(
        'Some of the `permissions` of the session. A session without them does not accept this field.',
      ),
    ),
    expiry: Type.Optional(nullable(TimeInput('When the key expires.'))),
  },
  'CreatePortalApiKey',
);
export type CreatePortalApiKey = Static<typeof CreatePortalApiKey>;

export const RenamePortalApiKey = strict({ name: Name }, 'RenamePortalApiKey');

export const RotatePortalApiKey = Type.Optional(
  strict({ graceSeconds: Type.Optional(GraceSeconds) }, 'RotateKey'),
);

export const PortalKeyParams = strict({ id: titled('ApiKeyId', Id('key', 'the key')) });

export const PortalUsageQuery = strict(portalUsageFields);
export type PortalUsageQuery = Static<typeof PortalUsageQuery>;

export const PortalLimits = Type.Object(
  {
    credits: {
      ...nullable(Credits),
      description: 'Credits that all keys of the customer share. Null: there are none.',
    },
    limits: Type.Array(
      Type.Object(
        {
          ...limitFields,
          keyId: nullable(Id('key', 'the key', 'Null: all keys of the customer share the limit.')),
          remaining: Type.Integer({ minimum: 0 }),
          resetAt: nullable(
            Type.String({
              format: 'date-time',
              description:
                'When the window closes; for a sliding limit, when a request fits again. Null: nothing is counted at the moment.',
            }),
          ),
        },
        { title: 'PortalLimit' },
      ),
      {
        description:
          'The limits that the keys of the customer share, and those of its 100 newest active keys. Limits in shadow mode are not listed.',
      },
    ),
  },
  { title: 'PortalLimits' },
);
export type PortalLimits = Static<typeof PortalLimits>;
