import type { Fields } from './field.ts';
import { ALLOWED_IPS, NAME, PERMISSIONS } from './shared.ts';

export const PLAN = {
  name: { ...NAME, required: true, listed: true },
  permissions: { ...PERMISSIONS, listed: true },
  limits: {
    kind: 'limits',
    label: 'Limits',
    option: 'limit',
    help: 'A request must fit into all of them. A customer or a key can replace a limit with one of the same name.',
  },
  allowedIPs: ALLOWED_IPS,
  credits: {
    kind: 'planCredits',
    label: 'Credits',
    option: 'credits',
    help: 'The credits of customers with this plan, and of keys without a customer. A change acts at their next refill.',
  },
} as const satisfies Fields;
