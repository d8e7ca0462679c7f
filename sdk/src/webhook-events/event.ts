import type {
  AccessKeyCreated,
  AccessKeyDeleted,
  AccessKeyUpdated,
  ApiKeyCreated,
  ApiKeyDeleted,
  ApiKeyFirstUsed,
  ApiKeyUpdated,
  ProjectUpdated,
} from '../generated/api-types.ts';

/** What a webhook delivers; `type` tells which one it is, and with it what `data` holds. */
export type WebhookEvent =
  | ApiKeyCreated
  | ApiKeyUpdated
  | ApiKeyDeleted
  | ApiKeyFirstUsed
  | AccessKeyCreated
  | AccessKeyUpdated
  | AccessKeyDeleted
  | ProjectUpdated;
