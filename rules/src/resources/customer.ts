import type { Fields } from './field.ts';
import { ALLOWED_IPS, NAME, PERMISSIONS } from './shared.ts';

export const CUSTOMER = {
  customAccountId: {
    kind: 'text',
    max: 256,
    label: 'Customer ID',
    option: 'account-id',
    required: true,
    fixed: true,
    column: 'custom_account_id',
    listed: true,
    help: 'Your own id of the customer: the `customAccountId` of its keys.',
  },
  name: { ...NAME, listed: true },
  email: {
    kind: 'email',
    label: 'Email',
    option: 'email',
    help: 'For display. Keyward sends nothing to this address.',
  },
  planId: {
    kind: 'plan',
    label: 'Plan',
    option: 'plan',
    column: 'plan_id',
    filter: 'planId',
    listed: true,
    help: 'Keys with a plan of their own keep it.',
  },
  customMetaData: {
    kind: 'metadata',
    label: 'Metadata',
    option: 'metadata',
    column: 'custom_meta_data',
    help: 'Your own data about the customer.',
  },
  tags: {
    kind: 'tags',
    label: 'Tags',
    option: 'tag',
    filter: 'tag',
    listed: true,
    help: 'Labels to filter customers by.',
  },
  anchor: {
    kind: 'time',
    label: 'Anchor',
    option: 'anchor',
    help: 'The time from which days, weeks and months are counted, where the `anchor` of a limit is `customer`. Default: the creation of the customer. Setting it needs the scope `credits:write` too.',
  },
  permissions: PERMISSIONS,
  limits: {
    kind: 'limits',
    label: 'Limits',
    option: 'limit',
    help: "They apply to all keys of the customer. A limit here replaces the plan's limit of the same name, for example to give this customer more.",
  },
  allowedIPs: ALLOWED_IPS,
  credits: {
    kind: 'credits',
    label: 'Credits',
    option: 'credits',
    help: 'Shared by all keys of the customer.',
  },
} as const satisfies Fields;
