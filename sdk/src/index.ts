export type {
  PermissionGroup,
  PermissionList,
  PermissionsInput,
} from '@keyward/rules/permissions.ts';
export type * from './generated/api-types.ts';
export { type ErrorCode, TOPICS, type Topic } from './generated/operations.ts';
export type { ItemOf, ListId, RequestOf, ResponseOf } from './http/calls.ts';
export {
  type ClientErrorCode,
  KeywardError,
  type KeywardErrorCode,
  KeywardUnavailable,
} from './http/errors.ts';
export type { List, Page } from './http/list.ts';
export type { BodyOf, InputOf, OperationId, QueryOf, ResponseBodyOf } from './http/operation.ts';
export type { CallOptions } from './http/options.ts';
export type { Log } from './http/problem-log.ts';
export { Keyward, type KeywardOptions } from './keyward.ts';
export type { KeyToValidate } from './validation/batches.ts';
export type {
  Accepted,
  RefusalCode,
  Refused,
  Undecided,
  Validation,
} from './validation/outcome.ts';
export type { OnUnavailable, ValidateOptions } from './validation/validator.ts';
export {
  verifyWebhook,
  WebhookError,
  type WebhookErrorCode,
  type WebhookRequest,
} from './webhook-events/verify.ts';
