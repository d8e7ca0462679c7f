import { readFile } from 'node:fs/promises';
import { PROJECT } from '@keyward/rules/resources/project.ts';
import { CLEAR_OPTION, cleared, NOTHING_TO_CHANGE } from '../clear-option.ts';
import type { Command, OptionSpecs, ValuesOf } from '../command.ts';
import { UsageError } from '../failure.ts';
import { changeOptions, clearable, fieldOptions, fieldValues } from '../fields/options.ts';
import { listCommand } from '../listing.ts';
import { resourceCommand } from '../resource-command.ts';
import { NEW_NAME, readNewName, withoutUndefined } from '../values.ts';
import { ACCOUNT_OPTION, namedAccount } from './account-option.ts';

const PROJECT_ARGUMENT = { name: 'PROJECT', help: 'The id of the project (prj_…)' };

/** How the portal looks. */
const BRANDING_OPTIONS = {
  'brand-name': { value: 'NAME', help: 'The name that customers see in the portal' },
  'accent-color': { value: '#RRGGBB', help: 'The color of buttons and links in the portal' },
  logo: { value: 'FILE', help: 'The logo in the portal: a PNG of at most 32 KB' },
} as const satisfies OptionSpecs;

async function brandingFields(values: ValuesOf<typeof BRANDING_OPTIONS>) {
  const { logo } = values;
  const branding = withoutUndefined({
    name: values['brand-name'],
    accentColor: values['accent-color'],
    logo: logo === undefined ? undefined : await readFile(logo, 'base64'),
  });
  return Object.keys(branding).length === 0 ? {} : { branding };
}

/** A new project has no plans yet, and its name may be an argument. */
const { name: _, 'default-plan': _none, ...NEW_PROJECT_OPTIONS } = fieldOptions(PROJECT);

const CLEARABLE = {
  ...clearable(PROJECT),
  branding: 'branding',
  'usage-events': 'usageEvents',
};

const createProject = resourceCommand({
  words: 'projects create',
  summary: 'Create a project',
  args: [NEW_NAME.argument],
  options: {
    name: changeOptions(PROJECT).name,
    ...NEW_PROJECT_OPTIONS,
    ...BRANDING_OPTIONS,
    account: { value: 'ID', help: 'The account (acc_…). Default: that of the access key' },
  },
  examples: [
    'npx keyward projects create --name "Public API"',
    'npx keyward projects create --name trial --env test',
    'npx keyward projects create --name "Acme API" --key-prefix acme_',
  ],
  async run({ api, out, values, args }) {
    const body = {
      accountId: values.account,
      ...fieldValues(PROJECT, { ...values, name: readNewName(values.name, args[0]) }),
      ...(await brandingFields(values)),
    };
    return out.record(await api.call('createProject', { body }));
  },
});

const listProjects = listCommand({
  words: 'projects list',
  summary: 'List projects, newest first',
  operator: 'allowed',
  operation: 'listProjects',
  fields: PROJECT,
  columns: [
    { field: 'id', title: 'id', whole: true },
    { field: 'name', title: 'name' },
    { field: 'env', title: 'env' },
    { field: 'keyPrefix', title: 'key prefix' },
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

const updateProject = resourceCommand({
  words: 'projects update',
  summary: 'Change a project',
  details:
    'Options that are not given stay unchanged. A new prefix applies to keys created or rotated from then on; existing values stay valid.',
  args: [PROJECT_ARGUMENT],
  options: {
    ...changeOptions(PROJECT),
    ...BRANDING_OPTIONS,
    'expiry-days': {
      value: 'DAYS',
      help: 'Days before the expiry at which a notice is sent, such as 30,7,1; none: only when the key has expired',
    },
    thresholds: {
      value: 'PERCENT',
      help: 'Percentages of a limit at which a notice is sent, such as 80,100; none: never',
    },
    'mail-to': {
      value: 'ADDRESSES',
      help: 'Mail notices to these addresses, separated by commas, at most once a day per kind; none: to nobody',
    },
    'usage-events': {
      value: 'INTERVAL,GROUP',
      help: 'Send usage.period events: hour or day, and key or customer, such as day,customer',
    },
    clear: CLEAR_OPTION(CLEARABLE),
  },
  examples: [
    'npx keyward projects update prj_… --expiry-days 14,3 --mail-to ops@example.com',
    'npx keyward projects update prj_… --key-prefix acme_live_',
    'npx keyward projects update prj_… --clear key-prefix',
    'npx keyward projects update prj_… --on-leak revoke',
    'npx keyward projects update prj_… --brand-name Acme --portal-origin https://app.example.com',
  ],
  async run({ api, out, values, args }) {
    const signals = withoutUndefined({
      notices: readNotices(values),
      usageEvents: readUsageEvents(values['usage-events']),
    });
    const body = {
      ...cleared(values.clear, CLEARABLE),
      ...fieldValues(PROJECT, values),
      ...(await brandingFields(values)),
      ...signals,
    };
    if (Object.keys(body).length === 0) throw new UsageError(NOTHING_TO_CHANGE);
    return out.record(await api.call('updateProject', { path: { id: args[0]! }, body }));
  },
});

const listOf = (text: string): string[] =>
  text === 'none' ? [] : text.split(',').map((part) => part.trim());

function readNumbers(option: string, text: string): number[] {
  const numbers = listOf(text).map(Number);
  if (numbers.some((number) => !Number.isFinite(number)))
    throw new UsageError(`--${option} takes numbers, separated by commas, or none`);
  return numbers;
}

/** Undefined if no notice option is given. */
function readNotices(values: {
  readonly 'expiry-days'?: string | undefined;
  readonly thresholds?: string | undefined;
  readonly 'mail-to'?: string | undefined;
}): Record<string, unknown> | undefined {
  const { 'expiry-days': days, thresholds, 'mail-to': mailTo } = values;
  const notices = withoutUndefined({
    expiryDays: days && readNumbers('expiry-days', days),
    thresholds: thresholds && readNumbers('thresholds', thresholds).map((each) => each / 100),
    mailTo: mailTo && listOf(mailTo),
  });
  return Object.keys(notices).length === 0 ? undefined : notices;
}

function readUsageEvents(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  const [interval, groupBy] = listOf(text);
  if (groupBy === undefined)
    throw new UsageError('--usage-events takes an interval and a group, such as day,customer');
  return { interval, groupBy };
}

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
  summary: 'Reactivate a deactivated project with its keys and access keys',
  args: [PROJECT_ARGUMENT],
  examples: ['npx keyward projects reactivate prj_…'],
  run: async ({ api, out, args }) =>
    out.record(await api.call('reactivateProject', { path: { id: args[0]! } })),
});

export const projectCommands: readonly Command[] = [
  createProject,
  listProjects,
  getProject,
  updateProject,
  renameProject,
  deleteProject,
  reactivateProject,
];
