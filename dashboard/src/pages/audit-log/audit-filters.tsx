import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { AuditFilters, KnownActor } from '../../api/audit-logs.ts';
import type { AuditLogSearch } from '../../app/routing/page-searches.ts';
import { TextField } from '../../components/forms/field.tsx';
import { Select } from '../../components/forms/select.tsx';
import { FilterBar } from '../../components/tables/filter-bar.tsx';
import { FilterTag } from '../../components/tables/filter-chip.tsx';
import { useSearchText } from '../../hooks/use-search-text.ts';
import { startOfDayAfter } from '../../text/time/periods.ts';
import { isUtc } from '../../text/time/time-zone.ts';
import { DAY, HOUR } from '../../text/time/times.ts';
import { ACTION_OPTIONS } from './sentences.ts';

const route = getRouteApi('/shell/a/$accountId/audit-log');

const TIMES = [
  { value: '', label: 'Any time' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: 'days', label: 'Custom range' },
] as const;

const DURATIONS = { '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY };

/** Converts the URL to a query, rounded to the hour so that the cache key stays the same. */
export function filtersOf({ actor, action, target, time, from, to }: AuditLogSearch, now: number) {
  const filters: AuditFilters = {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(target !== undefined && { target }),
  };
  if (time === undefined) return filters;
  if (time !== 'days')
    return { ...filters, from: iso(Math.floor(now / HOUR) * HOUR - DURATIONS[time]) };
  const first = dayStart(from);
  const end = startOfDayAfter(dayStart(to), 1);
  return {
    ...filters,
    ...(!Number.isNaN(first) && { from: iso(first) }),
    ...(!Number.isNaN(end) && !(end < first) && { to: iso(end) }),
  };
}

const dayStart = (day: string | undefined): number =>
  Date.parse(`${day}T00:00${isUtc() ? 'Z' : ''}`);

const iso = (at: number): string => new Date(at).toISOString();

interface AuditFilterBarProps {
  readonly actors: readonly KnownActor[];
  /** Name of the selected target. */
  readonly targetName: string | undefined;
}

export function AuditFilterBar({ actors, targetName }: AuditFilterBarProps) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (part: Partial<AuditLogSearch>) =>
    navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const setUrlText = useCallback(
    (q: string) =>
      void navigate({ search: (before) => ({ ...before, q: q || undefined }), replace: true }),
    [navigate],
  );
  const [typed, setTyped] = useSearchText(search.q ?? '', setUrlText);
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <FilterBar
      search={{
        label: 'Search by name or ID',
        value: typed,
        onChange: setTyped,
      }}
      onClear={isFiltered ? () => navigate({ search: {}, replace: true }) : undefined}
    >
      {search.target !== undefined && (
        <FilterTag
          label="Changes to"
          value={targetName ?? search.target}
          onRemove={() => set({ target: undefined })}
        />
      )}
      <Select
        dense
        label="Actor"
        labelHidden
        value={search.actor ?? ''}
        options={actorOptions(actors, search.actor)}
        onChange={(actor) => set({ actor: actor || undefined })}
      />
      <Select
        dense
        label="Action"
        labelHidden
        value={search.action ?? ''}
        options={[{ value: '', label: 'Any action' }, ...ACTION_OPTIONS]}
        onChange={(action) => set({ action: action || undefined })}
      />
      <Select
        dense
        label="Time"
        labelHidden
        value={search.time ?? ''}
        options={TIMES}
        onChange={(time) => set({ time: time === '' ? undefined : time })}
      />
      {search.time === 'days' && (
        <>
          <TextField
            label="From"
            labelHidden
            type="date"
            className="h-8! text-sm"
            value={search.from ?? ''}
            onChange={(from) => set({ from: from || undefined })}
          />
          <TextField
            label="To"
            labelHidden
            type="date"
            className="h-8! text-sm"
            value={search.to ?? ''}
            onChange={(to) => set({ to: to || undefined })}
          />
        </>
      )}
    </FilterBar>
  );
}

/** Always includes the selected actor, even if it no longer exists, such as a deleted access key. */
function actorOptions(actors: readonly KnownActor[], selected: string | undefined) {
  const isKnown = selected === undefined || actors.some(({ id }) => id === selected);
  const others = ['system', 'operator'];
  return [
    { value: '', label: 'Anyone' },
    ...(isKnown || others.includes(selected) ? [] : [{ value: selected, label: selected }]),
    ...actors.map(({ id, name, kind }) => ({
      value: id,
      label: kind === 'user' ? name : `${name} (access key)`,
    })),
    { value: 'system', label: 'Keyward' },
    { value: 'operator', label: 'Command line' },
  ];
}
