import Type, { type Static } from 'typebox';
import { Id, nullable, PageQuery, strict, Time } from '../../kernel/schemas.ts';

const Record = Type.Record(Type.String(), Type.Unknown(), {
  description: 'The record as the API shows it: key values masked, secrets left out.',
});

export const AuditLog = Type.Object(
  {
    id: Id('aud', 'the row'),
    accountId: Id('acc', 'the account'),
    projectId: nullable(Id('prj', 'the project; null: what was changed belongs to none')),
    actorType: Type.String({
      description:
        '`access-key`, `user`, `operator` (the command line on the machine of the server) or `system` (the service itself).',
    }),
    actorId: Type.String({ description: 'Id of the access key or user; else its type again.' }),
    action: Type.String({ examples: ['api-key.created'] }),
    targetType: Type.String({ examples: ['api-key'] }),
    targetId: Type.String({ description: 'Id of what was changed.' }),
    before: nullable(Record),
    after: nullable(Record),
    requestId: nullable(
      Type.String({ description: 'Of the call that made the change; the log has more under it.' }),
    ),
    clientAddress: nullable(Type.String()),
    userAgent: nullable(Type.String()),
    createdAt: Time,
    sealed: Type.Boolean({
      description: 'Whether the row is in the chain that `npx keyward audit verify` proves.',
    }),
  },
  { title: 'AuditLog' },
);
export type AuditLog = Static<typeof AuditLog>;

const TimeInput = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 40,
    description: `${description} An ISO 8601 date-time, a date, or \`YYYY-MM-DD HH:mm:ss\`; without an offset it is UTC.`,
    examples: ['2030-01-01', '2030-01-01T12:00:00Z'],
  });

const AnyId = (description: string) => Type.String({ minLength: 1, maxLength: 64, description });

export const ListAuditLogs = strict({
  actor: Type.Optional(AnyId('Id of the access key or user that made the change.')),
  action: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: '^[a-z-]+\\.[a-zA-Z-]*$',
      description: 'Exactly this action; one that ends in a dot stands for all that begin so.',
      examples: ['api-key.deleted', 'api-key.'],
    }),
  ),
  target: Type.Optional(AnyId('Id of what was changed.')),
  targetType: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, examples: ['api-key', 'project'] }),
  ),
  projectId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Id of the project: `prj_…`. The text `null` means what belongs to none.',
    }),
  ),
  from: Type.Optional(TimeInput('Not before this time.')),
  to: Type.Optional(TimeInput('Before this time.')),
  ...PageQuery,
});
export type ListAuditLogs = Static<typeof ListAuditLogs>;
