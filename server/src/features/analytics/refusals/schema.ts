import { CHECKS, type KeyRefusalCode } from '@keyward/rules/check-key.ts';
import Type, { type Static } from 'typebox';
import {
  Id,
  nullable,
  PageQuery,
  strict,
  Time,
  TimeInput,
  VisibleProject,
} from '../../../kernel/schemas.ts';
import { ORIGIN_LENGTH_MAX } from './sampler.ts';

const Code = Type.Unsafe<KeyRefusalCode>({
  type: 'string',
  enum: Object.keys(CHECKS),
  description: 'The `code` of the response to the validation.',
});

/** What a refusal says about the request and the key. */
const details = {
  clientIP: nullable(
    Type.String({ description: 'The address that the validation stated, if any.' }),
  ),
  origin: nullable(
    Type.String({ description: 'The header `x-origin-domain`, at most 255 characters of it.' }),
  ),
  missing: nullable(
    Type.Array(Type.String(), {
      description: 'With `permission_denied`: the permissions that the key lacks.',
    }),
  ),
  limit: nullable(
    Type.String({
      description:
        'With `rate_limited`: the name of the limit. `default` stands for `rateLimitConfigs`.',
    }),
  ),
  cost: Type.Integer({ minimum: 0, description: 'The cost of the request.' }),
};

export const Refusal = Type.Object(
  {
    id: Id('rfs', 'the refusal'),
    time: Time,
    projectId: Id('prj', 'the project of the key'),
    keyId: Id('key', 'the key'),
    code: Code,
    accessKeyId: nullable(
      Id('ak', 'the access key that validated; null if a person tried the key in the dashboard'),
    ),
    ...details,
  },
  { title: 'Refusal' },
);
export type Refusal = Static<typeof Refusal>;

export const ListRefusals = strict({
  projectId: VisibleProject,
  key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Only this key: its value, or its id (`key_…`).',
    }),
  ),
  customAccountId: Type.Optional(
    Type.String({
      maxLength: 256,
      description: 'Only keys of this customer. The text `null` matches keys without one.',
    }),
  ),
  code: Type.Optional(Code),
  from: Type.Optional(TimeInput('Not before this time.')),
  to: Type.Optional(TimeInput('Before this time.')),
  ...PageQuery,
});
export type ListRefusals = Static<typeof ListRefusals>;

/** A sample in the usage report of a process that validates in its own memory. */
export const ReportedRefusal = strict(
  {
    keyId: Id('key', 'the key'),
    code: Code,
    agoMs: Type.Integer({
      minimum: 0,
      maximum: 12 * 3_600_000,
      description: 'How long before the report the validation was refused.',
    }),
    clientIP: Type.Optional(Type.String({ maxLength: 45 })),
    origin: Type.Optional(Type.String({ maxLength: ORIGIN_LENGTH_MAX })),
    missing: Type.Optional(Type.Array(Type.String({ maxLength: 128 }), { maxItems: 32 })),
    limit: Type.Optional(Type.String({ maxLength: 32 })),
    cost: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  },
  'ReportedRefusal',
);
export type ReportedRefusal = Static<typeof ReportedRefusal>;
