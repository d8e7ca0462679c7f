import type { Command } from '../command.ts';
import { listCommand } from '../listing.ts';
import { resourceCommand } from '../resource-command.ts';
import { readSeconds, withoutUndefined } from '../values.ts';

const openPortal = resourceCommand({
  words: 'portal',
  summary: 'Print a link to the page where a customer manages its own keys',
  details:
    'Anyone with the link can use it until it expires. `npx keyward portal-sessions end` ends it earlier.',
  args: [{ name: 'CUSTOMER', help: 'The customAccountId of the customer' }],
  options: {
    project: { value: 'ID', help: 'The project (prj_…). Default: that of the access key' },
    allow: {
      value: 'ACTION',
      multiple: true,
      help: 'What the customer may do: keys:read, keys:create, keys:rotate, keys:revoke or usage:read. Repeatable. Default: all that the access key allows',
    },
    permission: {
      value: 'NAME',
      multiple: true,
      help: 'A permission that new keys may have; they cannot have others. Repeatable. Default: new keys get the permissions of the customer or its plan',
    },
    'return-url': { value: 'URL', help: 'Where the page links back to' },
    'expires-in': { value: 'SECONDS', help: 'Seconds, or a time like 15m or 24h. Default: 1h' },
  },
  examples: [
    'npx keyward portal customer-42',
    'npx keyward portal customer-42 --allow keys:read --allow usage:read --expires-in 15m',
  ],
  async run({ api, out, values, args }) {
    const { project: projectId, allow, permission: permissions } = values;
    const seconds = values['expires-in'];
    const body = withoutUndefined({
      customAccountId: args[0],
      projectId,
      allow,
      permissions,
      returnUrl: values['return-url'],
      expiresInSeconds: seconds === undefined ? undefined : readSeconds(seconds, '--expires-in'),
    });
    const session = await api.call('createPortalSession', { body });
    return out.done(String(session.url), session);
  },
});

const listSessions = listCommand({
  words: 'portal-sessions list',
  summary: 'List portal sessions that have not ended, newest first',
  operation: 'listPortalSessions',
  columns: [
    { field: 'id', title: 'id', whole: true },
    { field: 'customAccountId', title: 'customer' },
    { field: 'allow', title: 'allows' },
    { field: 'createdBy', title: 'created by' },
    { field: 'expiresAt', title: 'expires' },
  ],
  options: {
    project: { value: 'ID', help: 'Only sessions of this project' },
    customer: { value: 'ID', help: 'Only sessions of this customer (customAccountId)' },
  },
  examples: ['npx keyward portal-sessions list --customer customer-42'],
  query: (values) => ({ projectId: values.project, customAccountId: values.customer }),
});

const endSession = resourceCommand({
  words: 'portal-sessions end',
  summary: 'End a portal session at once',
  args: [{ name: 'SESSION', help: 'The id of the session (pse_…)' }],
  examples: ['npx keyward portal-sessions end pse_…'],
  async run({ api, out, args }) {
    const ended = await api.call('deletePortalSession', { path: { id: args[0]! } });
    return out.done('Portal session ended.', ended);
  },
});

export const portalCommands: readonly Command[] = [openPortal, listSessions, endSession];
