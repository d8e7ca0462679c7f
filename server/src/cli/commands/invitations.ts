import type { Command } from '../command.ts';
import { listCommand } from '../listing.ts';
import { resourceCommand } from '../resource-command.ts';
import type { Row } from '../table.ts';
import { given } from '../values.ts';

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
  summary: 'Invite people to the account and show their links, once',
  details: 'A new invitation takes the place of a pending one to the same address.',
  args: [{ name: 'EMAIL', help: 'Whom to invite, up to 50', many: true }],
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
    'keyward invitations create ada@example.com --role admin',
    'keyward invitations create ada@example.com grace@example.com --role viewer --project prj_…',
  ],
  async run({ api, out, values, args }) {
    const body = given({
      emails: args,
      role: values.role,
      projectIds: values.project,
      accountId: values.account,
    });
    const { body: made } = await api.call('POST', '/invitations', { body });
    return out.records(made as Row[], 'link');
  },
});

const listInvitations = listCommand({
  words: 'invitations list',
  summary: 'List invitations, newest first',
  path: '/invitations',
  columns: COLUMNS,
  options: {
    project: { value: 'ID', help: 'Only those narrowed to this project' },
    status: { value: 'STATUS', help: 'Only pending, accepted, cancelled or expired' },
  },
  examples: ['keyward invitations list --status pending'],
  query: (values) => ({ projectId: values.project, status: values.status }),
});

const cancelInvitation = resourceCommand({
  words: 'invitations cancel',
  summary: 'Cancel an invitation; its link stops working',
  args: [{ name: 'INVITATION', help: 'The id of the invitation (inv_…)' }],
  examples: ['keyward invitations cancel inv_…'],
  async run({ api, out, args }) {
    const answer = await api.call('DELETE', `/invitations/${encodeURIComponent(args[0]!)}`);
    return out.done('Cancelled.', answer.body);
  },
});

export const invitationCommands: readonly Command[] = [
  createInvitations,
  listInvitations,
  cancelInvitation,
];
