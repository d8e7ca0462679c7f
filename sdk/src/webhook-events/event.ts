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

/** The payload of a webhook delivery; `type` determines the shape of `data`. */
export type WebhookEvent =
  | ApiKeyCreated
  | ApiKeyUpdated
  | ApiKeyDeleted
  | ApiKeyFirstUsed
  | AccessKeyCreated
  | AccessKeyUpdated
  | AccessKeyDeleted
  | ProjectUpdated;
