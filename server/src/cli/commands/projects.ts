import type { Command } from '../command.ts';
import { listCommand } from '../listing.ts';
import { resourceCommand } from '../resource-command.ts';
import { given, NEW_NAME, readNewName } from '../values.ts';
import { ACCOUNT_OPTION, namedAccount } from './account-option.ts';

const PROJECT_ARGUMENT = { name: 'PROJECT', help: 'The id of the project (prj_…)' };

const createProject = resourceCommand({
  words: 'projects create',
  summary: 'Create a project',
  options: {
    name: { value: 'NAME', help: 'Display name', required: true },
    env: {
      value: 'live|test',
      help: 'The environment of its keys; cannot be changed later. Default: live',
    },
    account: { value: 'ID', help: 'The account (acc_…). Default: that of the access key' },
  },
  examples: [
    'npx keyward projects create --name "Public API"',
    'npx keyward projects create --name trial --env test',
  ],
  async run({ api, out, values }) {
    const body = given({ name: values.name, env: values.env, accountId: values.account });
    return out.record(await api.call('createProject', { body }));
  },
});

const listProjects = listCommand({
  words: 'projects list',
  summary: 'List projects, newest first',
  operator: 'allowed',
  operation: 'listProjects',
  columns: [
    { field: 'id', title: 'id', whole: true },
    { field: 'name', title: 'name' },
    { field: 'env', title: 'env' },
    { field: 'isActive', title: 'active' },
    { field: 'createdAt', title: 'created' },
  ],
  options: { account: ACCOUNT_OPTION },
  examples: ['npx keyward projects list'],
  query: (values, { asOperator }) => ({ accountId: namedAccount(values.account, asOperator) }),
});

const getProject = resourceCommand({
  words: 'projects get',
  summary: 'Show a project',
  args: [PROJECT_ARGUMENT],
  examples: ['npx keyward projects get prj_…'],
  run: async ({ api, out, args }) =>
    out.record(await api.call('getProject', { path: { id: args[0]! } })),
});

const renameProject = resourceCommand({
  words: 'projects rename',
  summary: 'Rename a project',
  args: [PROJECT_ARGUMENT, NEW_NAME.argument],
  options: NEW_NAME.option,
  examples: ['npx keyward projects rename prj_… --name "Public API"'],
  async run({ api, out, values, args }) {
    const body = { name: readNewName(values.name, args[1]) };
    return out.record(await api.call('updateProject', { path: { id: args[0]! }, body }));
  },
});

const deleteProject = resourceCommand({
  words: 'projects delete',
  summary: 'Deactivate a project with all its keys and access keys',
  details: 'Its keys are refused from then on. `npx keyward projects reactivate` restores them.',
  args: [PROJECT_ARGUMENT],
  examples: ['npx keyward projects delete prj_…'],
  async run({ api, out, args }) {
    const deleted = await api.call('deleteProject', { path: { id: args[0]! } });
    return out.done('Project deactivated, with all its keys and access keys.', deleted);
  },
});

const reactivateProject = resourceCommand({
  words: 'projects reactivate',
  summary: 'Reactivate a deleted project with its keys and access keys',
  args: [PROJECT_ARGUMENT],
  examples: ['npx keyward projects reactivate prj_…'],
  run: async ({ api, out, args }) =>
    out.record(await api.call('reactivateProject', { path: { id: args[0]! } })),
});

export const projectCommands: readonly Command[] = [
  createProject,
  listProjects,
  getProject,
  renameProject,
  deleteProject,
  reactivateProject,
];
