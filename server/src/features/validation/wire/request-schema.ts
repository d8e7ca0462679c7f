import { AMOUNT_MAX, COST_MAX, UNITS_MAX } from '@keyward/rules/cost.ts';
import { PERMISSION_LENGTH_MAX, REQUIRED_MAX } from '@keyward/rules/permissions.ts';
import Type, { type TSchema } from 'typebox';
import { strict } from '../../../kernel/schemas.ts';
import { leaseFields } from '../leases/request-schema.ts';
import { BATCH_MAX } from '../rules.ts';

const Value = Type.String({ maxLength: 4096, description: 'The value to validate.' });

const ClientIP = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The IP address of your user, checked against `allowedIPs` of the key.',
  examples: ['203.0.113.7'],
});

const COST_OF =
  'What a valid request consumes: a number of requests and of credits alike, or an amount of each unit.';

/** Checked by `readCost`. */
const Cost = Type.Optional(Type.Unknown());

const DescribedCost = Type.Optional(
  Type.Union(
    [
      Type.Integer({ minimum: 0, maximum: COST_MAX }),
      Type.Record(
        Type.String({ pattern: '^[a-z0-9-]{1,32}$' }),
        Type.Integer({ minimum: 0, maximum: AMOUNT_MAX }),
        { maxProperties: UNITS_MAX + 2 },
      ),
    ],
    {
      title: 'Cost',
      description: `${COST_OF} Units are \`requests\`, \`credits\`, and those that the project declares in \`units\`; of \`requests\` and \`credits\` it is 1, if not named. 0 checks everything and consumes nothing. Default: 1.`,
      examples: [3, { tokens: 1200, credits: 3 }],
    },
  ),
);

const costInQuery = (minimum: number) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description: `${COST_OF} Written as a number${minimum === 0 ? '' : ` from ${minimum}`}, or like \`tokens:1200,credits:3\`. Default: 1.`,
      examples: ['3', 'tokens:1200,credits:3'],
    }),
  );

const Resource = Type.Optional(
  Type.String({
    pattern: '^[A-Za-z0-9._:/-]{1,128}$',
    description:
      'What the request is about: selects the limits that apply, by their `for`. It comes from your own routes, never from a header or the path that your user sent.',
    examples: ['POST:/v1/chat'],
  }),
);

/** Checked by `readRequirement`, whose messages are clearer than those of a schema with alternatives. */
const Permissions = Type.Unknown();

const PermissionName = Type.String({ minLength: 1, maxLength: PERMISSION_LENGTH_MAX });
const groupOf = <T extends TSchema>(items: T, title: string) => {
  const list = Type.Array(items, { minItems: 1, maxItems: REQUIRED_MAX });
  return Type.Union([strict({ all: list }), strict({ any: list })], { title });
};
const innermost = groupOf(PermissionName, 'InnermostPermissions');
const inner = Type.Union([
  PermissionName,
  groupOf(Type.Union([PermissionName, innermost]), 'InnerPermissions'),
]);

const DescribedPermissions = Type.Union(
  [
    PermissionName,
    Type.Array(inner, { minItems: 1, maxItems: REQUIRED_MAX }),
    groupOf(inner, 'OuterPermissions'),
  ],
  {
    title: 'RequiredPermissions',
    description:
      'What the key must be permitted to do: a permission, a list of which all are required, or `{"all": […]}` or `{"any": […]}`. Groups can contain groups, up to three levels in all, with at most 32 names together.',
    examples: ['documents.read', { any: ['documents.read', 'documents.write'] }],
  },
);

const PermissionInQuery = Type.Optional(
  Type.Array(PermissionName, {
    minItems: 1,
    maxItems: REQUIRED_MAX,
    description: 'A permission that the key must have. Repeat it to require several.',
  }),
);
const IpInQuery = Type.Optional(ClientIP);

export const PathQuery = strict({
  permission: PermissionInQuery,
  ip: IpInQuery,
  cost: costInQuery(0),
  resource: Resource,
});

export const ValidateInPath = strict({
  key: Type.String({ description: 'The value to validate.' }),
});

/** `keyResource`: the schema for the resource of one key in a batch. */
const validateFields = <P extends TSchema, C extends TSchema, R extends TSchema>(
  permissions: P,
  cost: C,
  keyResource: R,
) => ({
  key: Type.Optional(Value),
  keys: Type.Optional(
    Type.Array(
      Type.Union([
        Value,
        strict(
          { key: Value, permissions: Type.Optional(permissions), cost, resource: keyResource },
          'KeyInBatch',
        ),
      ]),
      {
        minItems: 1,
        maxItems: BATCH_MAX,
        description: 'Values, or objects with a value and requirements for this key alone.',
      },
    ),
  ),
  permissions: Type.Optional(permissions),
  clientIP: Type.Optional(ClientIP),
  cost,
  resource: Resource,
  ...leaseFields,
});

const explain = <P extends TSchema, C extends TSchema>(permissions: P, cost: C) => ({
  permissions: Type.Optional(permissions),
  clientIP: Type.Optional(ClientIP),
  originDomain: Type.Optional(
    Type.String({
      maxLength: 512,
      description: 'As the header `x-origin-domain` of a validation.',
    }),
  ),
  cost,
  resource: Resource,
});

export const explainFields = {
  checked: explain(Permissions, Cost),
  described: explain(DescribedPermissions, DescribedCost),
};

/**
 * `batchOf` checks the resources in a batch: the message of a schema with alternatives would not name the field.
 */
export const ValidateInBody = strict(
  validateFields(Permissions, Cost, Type.Optional(Type.Unknown())),
);
export const DescribedValidateInBody = strict(
  validateFields(DescribedPermissions, DescribedCost, Resource),
  'ValidateKeys',
);

/** Not strict: old clients send other fields beside the key. */
const oldForm = <P extends TSchema, C extends TSchema>(permissions: P, cost: C) =>
  Type.Object(
    {
      credentials: Type.Object({ api_key: Type.String({ maxLength: 4096 }) }),
      permissions: Type.Optional(permissions),
      clientIP: Type.Optional(ClientIP),
      cost,
    },
    { title: 'AuthenticateOldForm' },
  );
export const AuthenticateOldForm = oldForm(Permissions, Cost);
export const DescribedOldForm = oldForm(DescribedPermissions, DescribedCost);

/** Statuses that a gateway can request; the first is the default. */
export const INVALID_STATUSES = [401, 403, 404];
export const LIMITED_STATUSES = [429, 401, 403];

const status = (description: string, choices: readonly number[]) =>
  Type.Optional(
    Type.Union(
      choices.map((each) => Type.Literal(String(each))),
      { description: `${description} Default: ${choices[0]}.` },
    ),
  );

export const GatewayQuery = strict({
  invalid: status('Status for a key that is missing or not valid.', INVALID_STATUSES),
  limited: status(
    'Status for a key whose rate limit is exceeded, or that has too few credits.',
    LIMITED_STATUSES,
  ),
  permission: PermissionInQuery,
  ip: IpInQuery,
  cost: costInQuery(1),
  resource: Resource,
});
