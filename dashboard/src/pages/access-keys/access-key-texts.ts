import type { ACCESS_KEY } from '@keyward/rules/resources/access-key.ts';
import type { FormTexts } from '../../fields/control.ts';

/** Where the form says something else than the description. */
export const ACCESS_KEY_TEXTS: FormTexts<typeof ACCESS_KEY> = {
  name: { hint: null, placeholder: 'Checkout service, production' },
  expiresAt: { hint: 'After that, requests are rejected with 401.' },
  rateLimitConfigs: {
    label: 'Limit management requests',
    hint: 'Validations are not counted. Without a limit, the server’s default applies.',
  },
};
