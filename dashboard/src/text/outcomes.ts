import type { UsageRow } from '../api/records.ts';
import type { Series } from '../components/charts/chart-series.ts';

/** Outcomes of validations, in the order in which charts stack them. */
export const OUTCOMES = [
  { id: 'valid', label: 'Valid', colour: 1 },
  { id: 'rate_limited', label: 'Rate limited', colour: 2 },
  { id: 'revoked', label: 'Revoked', colour: 3 },
  { id: 'expired', label: 'Expired', colour: 4 },
  { id: 'domain_denied', label: 'Domain denied', colour: 5 },
  { id: 'unknown', label: 'Unknown', colour: 6 },
  { id: 'malformed', label: 'Malformed', colour: 7 },
  { id: 'not_started', label: 'Not started', colour: 8 },
  { id: 'ip_denied', label: 'IP address denied', colour: 9 },
  { id: 'permission_denied', label: 'Permission denied', colour: 10 },
  { id: 'credits_exhausted', label: 'Out of credits', colour: 11 },
] as const;

export type UsageOutcome = (typeof OUTCOMES)[number]['id'];

export const OUTCOME_IDS: readonly UsageOutcome[] = OUTCOMES.map(({ id }) => id);

/** Series of a chart, by outcome. Outcomes that did not occur are omitted. */
export function outcomeSeries(rows: readonly UsageRow[], times: readonly number[]): Series[] {
  const indexOf = new Map(times.map((time, index) => [time, index]));
  const series = OUTCOMES.map(({ id, label, colour }) => ({
    id,
    label,
    colour,
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
  /** All other outcomes. */
  readonly rejected: number;
}

export function outcomeTotals(rows: readonly UsageRow[]): OutcomeTotals {
  const of = (wanted: string) =>
    rows.reduce((sum, { group, total }) => sum + (group === wanted ? total : 0), 0);
  const total = rows.reduce((sum, row) => sum + row.total, 0);
  const [valid, limited] = [of('valid'), of('rate_limited')];
  return { total, valid, limited, rejected: total - valid - limited };
}
