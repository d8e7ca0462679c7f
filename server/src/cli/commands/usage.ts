import { systemClock } from '../../kernel/time/clock.ts';
import type { Api, Query } from '../api.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../failure.ts';
import { KEY_OPTIONS } from '../filter-options.ts';
import { resourceCommand } from '../resource-command.ts';
import { type Bar, barChart } from '../terminal/bar-chart.ts';
import { readSeconds } from '../values.ts';

/** Values of --by, and their names in the API. */
const GROUPINGS: Readonly<Record<string, string>> = {
  key: 'key',
  customer: 'customAccountId',
  user: 'customUserId',
  plan: 'plan',
  resource: 'resource',
  outcome: 'outcome',
  'access-key': 'accessKey',
  // The API cannot group by time alone: the rows of each period are added up.
  time: 'outcome',
};
const INTERVALS = ['minute', 'hour', 'day', 'week', 'month'];
const BARS_MAX = 20;

interface UsageRow {
  readonly group: string | null;
  readonly name: string | null;
  readonly date: string;
  readonly total: number;
  readonly cost: number;
  readonly units?: Readonly<Record<string, number>>;
}

const usage = resourceCommand({
  words: 'usage',
  summary: 'Show validations as a bar chart',
  details: `Counts all validations, valid and refused, or what the valid ones cost. The chart shows the ${BARS_MAX} highest, or every period with --by time; --json prints every row.`,
  options: {
    by: {
      value: 'WHAT',
      help: 'key, customer, user, plan, resource, outcome, access-key or time. Default: key',
    },
    last: { value: 'TIME', help: 'Time range: 90m, 24h, 7d. Default: 7d' },
    interval: {
      value: 'LENGTH',
      help: `${INTERVALS.join(', ')}. Default: depends on --last`,
    },
    timezone: { value: 'NAME', help: 'Time zone of the days, such as Europe/Berlin. Default: UTC' },
    ...KEY_OPTIONS,
    plan: { value: 'ID', help: 'Only keys on this plan' },
    resource: { value: 'PATTERN', help: 'Only one of the resources of the project, or other' },
    cost: { help: 'Show the cost of valid requests instead of the number of validations' },
    unit: { value: 'NAME', help: 'Show what valid requests used of a unit, such as tokens' },
  },
  examples: [
    'npx keyward usage --by key --last 7d',
    'npx keyward usage --by time --last 24h --key key_…',
    'npx keyward usage --by customer --cost --last 30d',
    'npx keyward usage --by resource --unit tokens',
    'npx keyward usage --by outcome --json',
  ],
  async run({ api, out, values, terminal }) {
    const by = values.by ?? 'key';
    const groupBy = GROUPINGS[by];
    if (groupBy === undefined)
      throw new UsageError(`--by takes ${Object.keys(GROUPINGS).join(', ')}`);
    const seconds = readSeconds(values.last ?? '7d', '--last');
    // Resources and units are not counted by minute.
    const isByPart = [values.resource, values.unit].some(Boolean) || by === 'resource';
    const interval = values.interval ?? intervalFor(seconds, isByPart);
    if (!INTERVALS.includes(interval))
      throw new UsageError(`--interval takes ${INTERVALS.join(', ')}`);
    const rows = await rowsOf(api, {
      groupBy,
      interval,
      from: new Date(systemClock() - seconds * 1000).toISOString(),
      timezone: values.timezone,
      projectId: values.project,
      key: values.key,
      customAccountId: values.customer,
      planId: values.plan,
      resource: values.resource,
    });
    if ((values as { json?: boolean }).json) return out.json(rows);
    const measure = measureOf(values);
    const bars = by === 'time' ? barsOverTime(rows, interval, measure) : barsByGroup(rows, measure);
    if (bars.every(({ value }) => value === 0)) {
      const { unit, cost } = values;
      const what = unit
        ? `requests with ${unit}`
        : cost
          ? 'valid requests with a cost'
          : 'validations';
      terminal.err(`No ${what} in this time range.\n`);
      return undefined;
    }
    terminal.out(barChart(terminal, bars));
    const more = by === 'time' ? 0 : new Set(rows.map(({ group }) => group)).size - bars.length;
    if (more > 0) terminal.err(`And ${more.toLocaleString('en-GB')} more: use --json.\n`);
    return undefined;
  },
});

/** Chosen so that a chart has some bars, but not too many. */
function intervalFor(seconds: number, isByPart: boolean): string {
  if (seconds <= 2 * 3600 && !isByPart) return 'minute';
  return seconds <= 2 * 86_400 ? 'hour' : 'day';
}

async function rowsOf(api: Api, query: Query): Promise<UsageRow[]> {
  const rows: UsageRow[] = [];
  for await (const page of api.pages('getUsage', { query }, undefined))
    rows.push(...(page.rows as unknown as UsageRow[]));
  return rows;
}

/** What a bar shows of a row. */
type Measure = (row: UsageRow) => number;

function measureOf({ cost, unit }: { cost?: boolean; unit?: string }): Measure {
  if (cost && unit) throw new UsageError('Use either --cost or --unit');
  if (unit) return ({ units }) => units?.[unit] ?? 0;
  return cost ? (row) => row.cost : (row) => row.total;
}

function barsByGroup(rows: readonly UsageRow[], measure: Measure): Bar[] {
  return sums(
    rows,
    ({ group, name }) => name ?? group ?? '(none)',
    ({ group }) => group,
    measure,
  )
    .toSorted((a, b) => b.value - a.value)
    .slice(0, BARS_MAX);
}

const barsOverTime = (rows: readonly UsageRow[], interval: string, measure: Measure): Bar[] =>
  sums(
    rows,
    ({ date }) => dateLabel(date, interval),
    ({ date }) => date,
    measure,
  );

const dateLabel = (date: string, interval: string): string =>
  interval === 'minute' || interval === 'hour'
    ? `${date.slice(0, 10)} ${date.slice(11, 16)}`
    : date.slice(0, 10);

function sums(
  rows: readonly UsageRow[],
  label: (row: UsageRow) => string,
  identity: (row: UsageRow) => string | null,
  measure: Measure,
): Bar[] {
  return [...Map.groupBy(rows, identity).values()].map((group) => ({
    label: label(group[0]!),
    value: group.reduce((sum, row) => sum + measure(row), 0),
  }));
}

export const usageCommands: readonly Command[] = [usage];
