import Type from 'typebox';
import { Id, nullable, Time } from '../../kernel/schemas.ts';
import { ApiKey } from '../api-keys/index.ts';
import { AuditLog } from '../audit/index.ts';

const Count = Type.Integer({ minimum: 0 });

export const ExpiringKey = Type.Object(
  {
    ...ApiKey.properties,
    daysLeft: Type.Integer({ minimum: 0, description: 'Days until `expiresAt`, rounded up.' }),
  },
  { title: 'ExpiringKey' },
);

export const ThresholdReached = Type.Object(
  {
    ...ApiKey.properties,
    name: Type.String({
      description: 'Name of the limit. `default`: the limit in `rateLimitConfigs`.',
    }),
    keyName: Type.String({ description: 'Name of the key.' }),
    share: Type.Number({ description: 'The threshold. 1: nothing is left.', examples: [0.8] }),
    consumed: Count,
    limit: Type.Integer({ minimum: 1 }),
  },
  {
    title: 'ThresholdReached',
    description: 'The key whose request reached the threshold; others may share the limit.',
  },
);

export const CreditsNotice = Type.Object(
  {
    ...ApiKey.properties,
    owner: Type.Enum(['key', 'customer'], { description: 'Whose credits these are.' }),
    remaining: Type.Integer({ minimum: 0, description: 'Credits left.' }),
    startingBalance: Type.Integer({
      minimum: 0,
      description: 'Credits when they were last set, added or refilled.',
    }),
  },
  {
    title: 'CreditsNotice',
    description: 'The key whose request left few credits or none; others may share the credits.',
  },
);

const UsagePeriodRow = Type.Object(
  {
    keyId: nullable(
      Type.String({
        description: 'The key. Null: erased keys, or `groupBy` is `customer`.',
      }),
    ),
    customAccountId: nullable(Type.String({ description: 'The customer; null: none.' })),
    total: Type.Integer({ minimum: 0, description: 'Validations with any outcome.' }),
    valid: Count,
    rateLimited: Count,
    denied: Type.Integer({ minimum: 0, description: 'All other refusals.' }),
    cost: Type.Integer({ minimum: 0, description: 'Sum of the costs of valid requests.' }),
  },
  { title: 'UsagePeriodRow' },
);

export const UsagePeriod = Type.Object(
  {
    projectId: Id('prj', 'the project'),
    interval: Type.Enum(['hour', 'day']),
    groupBy: Type.Enum(['key', 'customer']),
    start: Time,
    end: Type.String({ format: 'date-time', description: 'Exclusive.' }),
    part: Type.Integer({ minimum: 1, description: 'Number of this event within the period.' }),
    isLast: Type.Boolean({ description: 'Whether this is the last event of the period.' }),
    rows: Type.Array(UsagePeriodRow, { maxItems: 500 }),
  },
  { title: 'UsagePeriod' },
);

const { sealed: _sealed, ...auditFields } = AuditLog.properties;

export const AppendedAuditLog = Type.Object(
  {
    number: Type.Integer({
      minimum: 1,
      description:
        'Number of this event among the `audit.appended` events of the account, without gaps: sort by it, and ask for a replay if one is missing.',
    }),
    ...auditFields,
  },
  { title: 'AppendedAuditLog' },
);
