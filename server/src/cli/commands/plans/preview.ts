import { PLAN } from '@keyward/rules/resources/plan.ts';
import type { PlanPreview } from 'keyward';
import { UsageError } from '../../failure.ts';
import { fieldOptions, fieldValues } from '../../fields/options.ts';
import { resourceCommand } from '../../resource-command.ts';
import { cell } from '../../terminal/cell.ts';
import { readInteger, withoutUndefined } from '../../values.ts';

const { limit, credits } = fieldOptions(PLAN);

/** Customers that are shown for each limit; --json has more. */
const SHOWN_MAX = 10;

export const previewPlan = resourceCommand({
  words: 'plans preview',
  summary: 'Show what limits and credits would have refused in the last 48 hours',
  details:
    'Replays the recorded usage of the keys that have the plan, of a customer, of one key, or of all keys of the project, minute by minute. Without --limit and --credits, those of the plan are replayed. The result of each limit is what it would have refused if enforced, also in shadow mode. Nothing is changed.',
  args: [{ name: 'PLAN', help: 'The id of the plan (pln_…)', optional: true }],
  options: {
    limit,
    credits,
    project: { value: 'ID', help: 'The project (prj_…), without PLAN' },
    customer: {
      value: 'ID',
      help: 'Your own id of a customer, without PLAN: replay its usage, with --limit as its limits',
    },
    key: {
      value: 'ID',
      help: 'A key (key_…), without PLAN: replay its usage, with --limit as its limits',
    },
    hours: { value: 'N', help: 'How many hours, at most 48. Default: 48' },
  },
  examples: [
    'npx keyward plans preview pln_…',
    'npx keyward plans preview pln_… --limit hour=1000/1h,customer',
    'npx keyward plans preview --project prj_… --limit minute=60/60 --hours 24',
    'npx keyward plans preview --customer acme --limit day=10000/1d,customer',
  ],
  async run({ api, out, values, args }) {
    const { limit, credits, project: projectId, customer: customAccountId, key, hours } = values;
    if (args[0] === undefined && limit === undefined && credits === undefined)
      throw new UsageError('give PLAN, --limit or --credits: without them, nothing is replayed');
    const body = withoutUndefined({
      planId: args[0],
      projectId,
      customAccountId,
      key,
      ...fieldValues(PLAN, { limit, credits }),
      hours: hours === undefined ? undefined : readInteger(hours, '--hours'),
    });
    const preview = await api.call<PlanPreview>('previewPlan', { body });
    return out.done(textOf(preview), preview);
  },
});

function textOf(preview: PlanPreview): string {
  const { from, to, evaluated, refused, limits, credits, skipped } = preview;
  const { requests, keys } = evaluated;
  const results = [
    ...limits.map(({ name, ...result }) => resultText(`limit ${name}`, result)),
    ...(credits === null ? [] : [resultText('credits', credits)]),
    ...skipped.map((name) => `limit ${cell(name)}: not replayed, its window is under a minute`),
  ];
  return [
    `${requests} requests of ${keys} keys from ${from} to ${to}; ${refused} would have been refused`,
    ...results,
  ].join('\n');
}

function resultText(name: string, { refused, customers }: Result): string {
  const lines = customers
    .slice(0, SHOWN_MAX)
    .map(
      ({ customAccountId, keyId, refused, firstAt }) =>
        `  ${cell(customAccountId ?? keyId)}: ${refused}, first at ${firstAt}`,
    );
  const more = customers.length - lines.length;
  if (more > 0) lines.push(`  and ${more} more; --json shows them`);
  return [`${cell(name)}: would have refused ${refused}`, ...lines].join('\n');
}

type Result = NonNullable<PlanPreview['credits']>;
