import Type, { type Static } from 'typebox';
import { Id, nullable, PageQuery, strict, Time, TimeInput } from '../../kernel/schemas.ts';

const Record = Type.Record(Type.String(), Type.Unknown(), {
  description: 'The record as the API shows it, with key values masked and without secrets.',
});

export const AuditLog = Type.Object(
  {
    id: Id('aud', 'the row'),
    accountId: Id('acc', 'the account'),
    projectId: nullable(Id('prj', 'the project; null if the resource belongs to none')),
    actorType: Type.String({
      description:
        '`access-key`, `user`, `portal` (a customer in the portal), `operator` (the command line on the machine of the server) or `system` (the service itself).',
    }),
    actorId: Type.String({
      description:
        'Id of the access key or user, or the `customAccountId` of the customer; otherwise the same as the type.',
    }),
    action: Type.String({ examples: ['api-key.created'] }),
    targetType: Type.String({ examples: ['api-key'] }),
    targetId: Type.String({
      description: 'Id of the changed resource; for `api-key.imported`, the id of the import.',
    }),
    before: nullable(Record),
    after: nullable(Record),
    requestId: nullable(
      Type.String({ description: 'Id of the request that made the change, as in the server log.' }),
    ),
    clientAddress: nullable(Type.String()),
    userAgent: nullable(Type.String()),
    createdAt: Time,
    sealed: Type.Boolean({
      description: 'Whether the row is in the hash chain that `npx keyward audit verify` checks.',
    }),
  },
  { title: 'AuditLog' },
);
export type AuditLog = Static<typeof AuditLog>;

/** Each is looked up by itself: this bounds the work of a page. */
const TARGETS_MAX = 20;

export const ListAuditLogs = strict({
  actor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'Who made the change: id of the access key or user, or `customAccountId` of the customer.',
    }),
  ),
  action: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: '^[a-z-]+\\.[a-zA-Z-]*$',
      description: 'The action. A value that ends in a dot matches all actions that begin with it.',
      examples: ['api-key.deleted', 'api-key.'],
    }),
  ),
  target: Type.Optional(
    Type.String({
      pattern: `^[^,]{1,64}(,[^,]{1,64}){0,${TARGETS_MAX - 1}}$`,
      description: `Id of the changed resource, or up to ${TARGETS_MAX} ids separated by commas.`,
    }),
  ),
  targetType: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, examples: ['api-key', 'project'] }),
  ),
  projectId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Id of the project: `prj_…`. The text `null` matches rows without a project.',
    }),
  ),
  from: Type.Optional(TimeInput('Not before this time.')),
  to: Type.Optional(TimeInput('Before this time.')),
  ...PageQuery,
});
export type ListAuditLogs = Static<typeof ListAuditLogs>;
