import type { Fields } from './field.ts';

export const ACCESS_KEY = {
  name: {
    kind: 'name',
    label: 'Name',
    option: 'name',
    required: true,
    listed: true,
    help: 'A name for display.',
  },
  scopes: {
    kind: 'scopes',
    label: 'Scopes',
    option: 'scope',
    listed: true,
    help: 'The permissions of the access key.',
  },
  expiresAt: {
    kind: 'expiry',
    label: 'Expiry',
    option: 'expiry',
    input: 'expiry',
    column: 'expires_at',
    listed: true,
    help: 'When the key expires.',
  },
  rateLimitConfigs: {
    kind: 'limit',
    label: 'Rate limit',
    option: 'rate-limit',
    help: 'Requests over the limit are refused with 429 until the window ends.',
  },
} as const satisfies Fields;
