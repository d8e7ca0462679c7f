import { PERMISSION_LENGTH_MAX, REQUIRED_MAX } from '@keyward/rules/permissions.ts';
import Type, { type TSchema } from 'typebox';
import { strict } from '../../../kernel/schemas.ts';
import { leaseFields } from '../leases/request-schema.ts';
import { BATCH_MAX, COST_MAX } from '../rules.ts';

const Value = Type.String({ maxLength: 4096, description: 'The value to validate.' });

const ClientIP = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The IP address of your user, checked against `allowedIPs` of the key.',
  examples: ['203.0.113.7'],
});

const cost = (minimum: number) =>
  Type.Optional(
    Type.Integer({
      minimum,
      maximum: COST_MAX,
      description: `What a valid request consumes from each limit and from credits. ${minimum === 0 ? '0 checks everything and consumes nothing. ' : ''}Default: 1.`,
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

export const PathQuery = strict({ permission: PermissionInQuery, ip: IpInQuery, cost: cost(0) });

export const ValidateInPath = strict({
  key: Type.String({ description: 'The value to validate.' }),
});

/** `keyCost`: the schema for the cost of one key in a batch. */
const validateFields = <P extends TSchema, C extends TSchema>(permissions: P, keyCost: C) => ({
  key: Type.Optional(Value),
  keys: Type.Optional(
    Type.Array(
      Type.Union([
        Value,
        strict(
          { key: Value, permissions: Type.Optional(permissions), cost: keyCost },
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
  cost: cost(0),
  ...leaseFields,
});

const explain = <P extends TSchema>(permissions: P) => ({
  permissions: Type.Optional(permissions),
  clientIP: Type.Optional(ClientIP),
  originDomain: Type.Optional(
    Type.String({
      maxLength: 512,
      description: 'As the header `x-origin-domain` of a validation.',
    }),
  ),
  cost: cost(0),
});

export const explainFields = {
  checked: explain(Permissions),
  described: explain(DescribedPermissions),
};

/**
 * `batchOf` checks the cost in a batch: the message of a schema with alternatives would not name the field.
 */
export const ValidateInBody = strict(validateFields(Permissions, Type.Optional(Type.Unknown())));
export const DescribedValidateInBody = strict(
  validateFields(DescribedPermissions, cost(0)),
  'ValidateKeys',
);

/** Not strict: old clients send other fields beside the key. */
const oldForm = <P extends TSchema>(permissions: P) =>
  Type.Object(
    {
      credentials: Type.Object({ api_key: Type.String({ maxLength: 4096 }) }),
      permissions: Type.Optional(permissions),
      clientIP: Type.Optional(ClientIP),
      cost: cost(0),
    },
    { title: 'AuthenticateOldForm' },
  );
export const AuthenticateOldForm = oldForm(Permissions);
export const DescribedOldForm = oldForm(DescribedPermissions);

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
  cost: cost(1),
});
