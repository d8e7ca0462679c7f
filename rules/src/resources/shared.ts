import type { Field } from './field.ts';

/** Fields that several resources have. A resource adds what differs, such as `listed`. */
export const NAME = {
  kind: 'name',
  label: 'Name',
  option: 'name',
  help: 'A name for display.',
} as const satisfies Field;

export const EXPIRES_AT = {
  kind: 'expiry',
  label: 'Expiry',
  option: 'expiry',
  input: 'expiry',
  column: 'expires_at',
  listed: true,
  help: 'When the key expires.',
} as const satisfies Field;

export const RATE_LIMIT_CONFIGS = {
  kind: 'limit',
  label: 'Rate limit',
  option: 'rate-limit',
  help: 'Requests over the limit are refused with 429 until the window ends.',
} as const satisfies Field;

export const PERMISSIONS = {
  kind: 'permissions',
  label: 'Permissions',
  option: 'permission',
  help: 'What the key may do.',
} as const satisfies Field;

export const ALLOWED_IPS = {
  kind: 'addresses',
  label: 'Allowed IP addresses',
  option: 'allow-ip',
  column: 'allowed_ips',
  help: 'IP addresses and CIDR ranges from which the key may be used, checked against `clientIP` of a validation.',
} as const satisfies Field;
