import type { Fields } from './field.ts';
import { EXPIRES_AT, NAME, RATE_LIMIT_CONFIGS } from './shared.ts';

export const ACCESS_KEY = {
  name: { ...NAME, required: true, listed: true },
  scopes: {
    kind: 'scopes',
    label: 'Scopes',
    option: 'scope',
    listed: true,
    help: 'The permissions of the access key.',
  },
  expiresAt: EXPIRES_AT,
  rateLimitConfigs: RATE_LIMIT_CONFIGS,
} as const satisfies Fields;
