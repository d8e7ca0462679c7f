import type { Fields } from './field.ts';

export const PLAN = {
  name: {
    kind: 'name',
    label: 'Name',
    option: 'name',
    required: true,
    listed: true,
    help: 'A name for display.',
  },
  permissions: {
    kind: 'permissions',
    label: 'Permissions',
    option: 'permission',
    listed: true,
    help: 'What the key may do.',
  },
  limits: {
    kind: 'limits',
    label: 'Limits',
    option: 'limit',
    help: 'A request must fit into all of them. A customer or a key can replace a limit with one of the same name.',
  },
  allowedIPs: {
    kind: 'addresses',
    label: 'Allowed IP addresses',
    option: 'allow-ip',
    column: 'allowed_ips',
    help: 'IP addresses and CIDR ranges from which the key may be used, checked against `clientIP` of a validation.',
  },
  credits: {
    kind: 'planCredits',
    label: 'Credits',
    option: 'credits',
    help: 'The credits of customers with this plan, and of keys without a customer. A change acts at their next refill.',
  },
} as const satisfies Fields;
