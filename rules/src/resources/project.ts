import type { Fields } from './field.ts';
import { NAME } from './shared.ts';

export const PROJECT = {
  name: { ...NAME, required: true, listed: true },
  env: {
    kind: 'choice',
    options: ['live', 'test'],
    standard: 'live',
    label: 'Environment',
    option: 'env',
    fixed: true,
    listed: true,
    help: 'The environment of its keys; cannot be changed later.',
  },
  keyPrefix: {
    kind: 'prefix',
    label: 'Key prefix',
    option: 'key-prefix',
    column: 'key_prefix',
    listed: true,
    help: 'What new key values of the project begin with.',
  },
  defaultPlanId: {
    kind: 'plan',
    label: 'Default plan',
    option: 'default-plan',
    column: 'default_plan_id',
    help: 'It applies if neither the key nor its customer has one.',
  },
  units: {
    kind: 'units',
    label: 'Units',
    option: 'unit',
    help: 'What requests can cost besides `requests` and `credits`, such as `tokens`. Limits count one of them.',
  },
  portalOrigins: {
    kind: 'origins',
    label: 'Portal sites',
    option: 'portal-origin',
    column: 'portal_origins',
    help: 'Sites that may embed the portal page, use `keyward/react`, or be the `returnUrl` of a session.',
  },
  resources: {
    kind: 'resources',
    label: 'Resources',
    option: 'resource',
    help: 'Usage is also counted by these resources: each request under the first that matches, else as `other`. Write `POST:/v1/chat`, or `POST:/v1/*` for all that begin with it.',
  },
  onLeak: {
    kind: 'choice',
    options: ['notify', 'revoke'],
    standard: 'notify',
    label: 'On leak',
    option: 'on-leak',
    column: 'on_leak',
    help: 'What happens when the value of one of its keys or access keys is reported as leaked: an event only, or the key is also revoked.',
  },
} as const satisfies Fields;
