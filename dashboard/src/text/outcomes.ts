import type { Outcome } from '@keyward/rules/outcomes.ts';
import type { UsageRow } from 'keyward';
import type { Series } from '../components/charts/chart-series.ts';

/** Outcomes of validations, in the order in which charts stack them. */
const LOOKS = {
  valid: { label: 'Valid', color: 1 },
  rate_limited: { label: 'Rate limited', color: 2 },
  revoked: { label: 'Revoked', color: 3 },
  expired: { label: 'Expired', color: 4 },
  domain_denied: { label: 'Domain denied', color: 5 },
  unknown: { label: 'Unknown', color: 6 },
  malformed: { label: 'Malformed', color: 7 },
  not_started: { label: 'Not started', color: 8 },
  ip_denied: { label: 'IP address denied', color: 9 },
  permission_denied: { label: 'Permission denied', color: 10 },
  credits_exhausted: { label: 'Out of credits', color: 11 },
} as const satisfies Record<Outcome, Pick<Series, 'label' | 'color'>>;

export const OUTCOME_IDS = Object.keys(LOOKS) as readonly Outcome[];

export const OUTCOMES = OUTCOME_IDS.map((id) => ({ id, ...LOOKS[id] }));

/** Series of a chart, by outcome. Outcomes that did not occur are omitted. */
export function outcomeSeries(rows: readonly UsageRow[], times: readonly number[]): Series[] {
  const indexOf = new Map(times.map((time, index) => [time, index]));
  const series = OUTCOMES.map(({ id, label, color }) => ({
    id,
    label,
    color,
    values: times.map(() => 0),
  }));
  for (const { group, date, total } of rows) {
    const index = indexOf.get(Date.parse(date));
    const one = series.find(({ id }) => id === group);
    if (one && index !== undefined) one.values[index]! += total;
  }
  return series.filter(({ id, values }) => id === 'valid' || values.some((n) => n > 0));
}

export interface OutcomeTotals {
  readonly total: number;
  readonly valid: number;
  readonly limited: number;
  /** Refused for other reasons than a rate limit. */
  readonly otherRefused: number;
}

export function outcomeTotals(rows: readonly UsageRow[]): OutcomeTotals {
  const of = (wanted: string) =>
    rows.reduce((sum, { group, total }) => sum + (group === wanted ? total : 0), 0);
  const total = rows.reduce((sum, row) => sum + row.total, 0);
  const [valid, limited] = [of('valid'), of('rate_limited')];
  return { total, valid, limited, otherRefused: total - valid - limited };
}
