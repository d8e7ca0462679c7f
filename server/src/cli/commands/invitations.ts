import type { Command } from '../command.ts';
import { listCommand } from '../listing.ts';
import { resourceCommand } from '../resource-command.ts';
import type { Row } from '../terminal/table.ts';
import { withoutUndefined } from '../values.ts';

const COLUMNS = [
  { field: 'id', title: 'id', whole: true },
  { field: 'email', title: 'email' },
  { field: 'role', title: 'role' },
  { field: 'projectIds', title: 'projects' },
  { field: 'status', title: 'status' },
  { field: 'expiresAt', title: 'expires' },
];

const createInvitations = resourceCommand({
  words: 'invitations create',
  summary: 'Invite teammates to the account',
  details:
    'If the server can send mail, it mails the links. Otherwise they are shown here, once. A new invitation replaces a pending one to the same address.',
  args: [{ name: 'EMAIL', help: 'Email addresses, up to 50', many: true }],
  options: {
    role: { value: 'ROLE', help: 'owner, admin, developer or viewer', required: true },
    project: {
      value: 'ID',
      multiple: true,
      help: 'Only for this project (repeatable). Default: the whole account',
    },
    account: { value: 'ID', help: 'The account (acc_…). Default: that of the access key' },
  },
  examples: [
    'npx keyward invitations create ada@example.com --role admin',
    'npx keyward invitations create ada@example.com grace@example.com --role viewer --project prj_…',
  ],
  async run({ api, out, values, args }) {
    const body = withoutUndefined({
      emails: args,
      role: values.role,
      projectIds: values.project,
      accountId: values.account,
    });
    return out.records(await api.call<Row[]>('createInvitations', { body }), 'link');
  },
});

const listInvitations = listCommand({
  words: 'invitations list',
  summary: 'List invitations, newest first',
  operation: 'listInvitations',
  columns: COLUMNS,
  options: {
    project: { value: 'ID', help: 'Only invitations to this project' },
    status: { value: 'STATUS', help: 'Only pending, accepted, cancelled or expired' },
  },
  examples: ['npx keyward invitations list --status pending'],
  query: (values) => ({ projectId: values.project, status: values.status }),
});

const INVITATION = { name: 'INVITATION', help: 'The id of the invitation (inv_…)' };

const resendInvitation = resourceCommand({
  words: 'invitations resend',
  summary: 'Send an invitation again, with a new link',
  details:
    'If the server can send mail, it mails the link. Otherwise it is shown here, once. The previous link stops working. The validity period starts again.',
  args: [INVITATION],
  examples: ['npx keyward invitations resend inv_…'],
  async run({ api, out, args }) {
    return out.record(await api.call('resendInvitation', { path: { id: args[0]! } }), 'link');
  },
});

const cancelInvitation = resourceCommand({
  words: 'invitations cancel',
  summary: 'Cancel an invitation; its link stops working',
  args: [INVITATION],
  examples: ['npx keyward invitations cancel inv_…'],
  async run({ api, out, args }) {
    return out.done('Cancelled.', await api.call('deleteInvitation', { path: { id: args[0]! } }));
  },
});

export const invitationCommands: readonly Command[] = [
  createInvitations,
  listInvitations,
  resendInvitation,
  cancelInvitation,
];
