export { SCOPE_OF_TOPIC, TOPICS, type Topic } from '@keyward/rules/topics.ts';
export { auditRow, SYSTEM } from './audit-row.ts';
export {
  type AuditEntry,
  ChangeRunner,
  type Idempotency,
  type InsertUnit,
  type Unit,
} from './change-runner.ts';
export { AlreadyCompleted, storedResponse, sweepResponses } from './idempotency-store.ts';
export type {
  EventActor,
  Outbox,
  OutgoingEvent,
} from './outbox.ts';
export { UsedSignatures } from './used-signatures.ts';
