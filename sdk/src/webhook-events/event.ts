import type {
  AccessKeyCreated,
  AccessKeyDeleted,
  AccessKeyUpdated,
  ApiKeyCreated,
  ApiKeyDeleted,
  ApiKeyExpired,
  ApiKeyExpiring,
  ApiKeyFirstUsed,
  ApiKeyLeaked,
  ApiKeyUpdated,
  AuditAppended,
  CreditsChanged,
  CreditsExhausted,
  CreditsLow,
  CustomerUpdated,
  LimitThreshold,
  PlanUpdated,
  ProjectUpdated,
  UsagePeriodClosed,
} from '../generated/api-types.ts';

/** The payload of a webhook delivery; `type` determines the shape of `data`. */
export type WebhookEvent =
  | ApiKeyCreated
  | ApiKeyUpdated
  | ApiKeyDeleted
  | ApiKeyFirstUsed
  | ApiKeyExpiring
  | ApiKeyExpired
  | ApiKeyLeaked
  | AccessKeyCreated
  | AccessKeyUpdated
  | AccessKeyDeleted
  | ProjectUpdated
  | PlanUpdated
  | CustomerUpdated
  | LimitThreshold
  | CreditsChanged
  | CreditsLow
  | CreditsExhausted
  | UsagePeriodClosed
  | AuditAppended;
