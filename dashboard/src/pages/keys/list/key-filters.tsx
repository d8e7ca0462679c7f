import { useCallback } from 'react';
import { useUsedPolicies } from '../../../api/api-keys.ts';
import { useProject } from '../../../app/current.ts';
import { CustomerFilter } from '../../../components/tables/customer-filter.tsx';
import { FilterBar } from '../../../components/tables/filter-bar.tsx';
import { FilterMenu } from '../../../components/tables/filter-chip.tsx';
import { FieldFilters } from '../../../fields/filters.tsx';
import { useSearchText } from '../../../hooks/use-search-text.ts';
import { isFiltered, KEY_FILTERS, type KeySearch, NO_FILTERS } from './key-search.ts';

interface KeyFiltersProps {
  readonly search: KeySearch;
  /** Undefined removes a filter. */
  onChange(change: { [Name in keyof KeySearch]?: KeySearch[Name] | undefined }): void;
  readonly count: string | undefined;
}

const STATES: readonly { value: NonNullable<KeySearch['state']>; label: string }[] = [
  { value: 'active', label: 'Active' },
  { value: 'expiring', label: 'Expiring within 14 days' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
];

const LIMITS = [
  { value: 'with', label: 'With a rate limit' },
  { value: 'without', label: 'Without a rate limit' },
] as const;

export function KeyFilters({ search, onChange, count }: KeyFiltersProps) {
  const setUrlText = useCallback(
    (text: string) => onChange({ search: text || undefined }),
    [onChange],
  );
  const used = useUsedPolicies(useProject().id).data;
  const [typed, setTyped] = useSearchText(search.search ?? '', setUrlText);
  return (
    <FilterBar
      search={{
        label: 'Search keys and customers',
        value: typed,
        onChange: setTyped,
      }}
      onClear={isFiltered(search) ? () => onChange(NO_FILTERS) : undefined}
      count={count}
    >
      <FilterMenu
        label="Status"
        chosen={search.state}
        options={STATES}
        onChoose={(state) => onChange({ state })}
        onRemove={() => onChange({ state: undefined })}
      />
      <CustomerFilter account={search.account} user={search.user} onChange={onChange} />
      <FilterMenu
        label="Rate limit"
        chosen={search.limited === undefined ? undefined : search.limited ? 'with' : 'without'}
        options={LIMITS}
        onChoose={(limit) => onChange({ limited: limit === 'with' })}
        onRemove={() => onChange({ limited: undefined })}
      />
      <FieldFilters
        filters={KEY_FILTERS}
        {...{ search, onChange }}
        seen={used ? [used] : []}
        labels={{ plan: 'Plan set on key' }}
      />
    </FilterBar>
  );
}
