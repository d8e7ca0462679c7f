import { X } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { Button } from '../../../components/buttons/button.tsx';
import { Select } from '../../../components/forms/select.tsx';
import { FilterBar } from '../../../components/tables/filter-bar.tsx';
import type { KeyState } from '../key-state.ts';
import { CustomerDialog } from './customer-dialog.tsx';
import { isFiltered, type KeySearch, withoutSecret } from './key-search.ts';

interface KeyFiltersProps {
  readonly search: KeySearch;
  /** Undefined takes a filter away. */
  onChange(change: { [Name in keyof KeySearch]?: KeySearch[Name] | undefined }): void;
  readonly count: string;
}

const STATES: readonly { value: KeyState | 'any'; label: string }[] = [
  { value: 'any', label: 'Any state' },
  { value: 'active', label: 'Active' },
  { value: 'expiring', label: 'Expiring within 14 days' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
];

const LIMITS = [
  { value: 'any', label: 'Any limit' },
  { value: 'true', label: 'With a rate limit' },
  { value: 'false', label: 'Without a limit' },
] as const;

export function KeyFilters({ search, onChange, count }: KeyFiltersProps) {
  const [choosing, setChoosing] = useState(false);
  const settle = useCallback((text: string) => onChange({ search: text || undefined }), [onChange]);
  const [typed, setTyped] = useSearchText(search.search ?? '', settle);
  const clear = () =>
    onChange({
      search: undefined,
      state: undefined,
      account: undefined,
      user: undefined,
      limited: undefined,
    });
  return (
    <>
      <FilterBar
        search={{
          label: 'Search names and customer ids',
          value: typed,
          onChange: (text) => setTyped(withoutSecret(text)),
        }}
        onClear={isFiltered(search) ? clear : undefined}
        count={count}
      >
        <Select
          dense
          labelHidden
          label="State"
          value={search.state ?? 'any'}
          options={STATES}
          onChange={(state) => onChange({ state: state === 'any' ? undefined : state })}
        />
        <Select
          dense
          labelHidden
          label="Rate limit"
          value={search.limited === undefined ? 'any' : search.limited ? 'true' : 'false'}
          options={LIMITS}
          onChange={(limited) =>
            onChange({ limited: limited === 'any' ? undefined : limited === 'true' })
          }
        />
        {search.account === undefined && search.user === undefined && (
          <Button kind="quiet" onClick={() => setChoosing(true)}>
            Customer…
          </Button>
        )}
        {search.account !== undefined && (
          <Chip
            label="Account"
            value={search.account}
            onRemove={() => onChange({ account: undefined })}
          />
        )}
        {search.user !== undefined && (
          <Chip label="User" value={search.user} onRemove={() => onChange({ user: undefined })} />
        )}
      </FilterBar>
      {choosing && (
        <CustomerDialog
          onClose={() => setChoosing(false)}
          onChoose={(customer) => {
            setChoosing(false);
            onChange(customer);
          }}
        />
      )}
    </>
  );
}

interface ChipProps {
  readonly label: string;
  readonly value: string;
  onRemove(): void;
}

const Chip = ({ label, value, onRemove }: ChipProps) => (
  <Button onClick={onRemove} aria-label={`Stop filtering by ${label} ${value}`} className="min-w-0">
    <span className="text-faint">{label}</span>
    <span className="max-w-40 truncate">{value === 'null' ? 'none' : value}</span>
    <X aria-hidden />
  </Button>
);

const PAUSE_MS = 150;

/**
 * What is typed into a search, ahead of the address that follows it in the pauses. When the address
 * changes by itself (back, a link, Clear), the text follows.
 */
function useSearchText(
  settled: string,
  settle: (text: string) => void,
): readonly [string, (text: string) => void] {
  const [typed, setTyped] = useState(settled);
  const [lastSettled, setLastSettled] = useState(settled);
  if (settled !== lastSettled) {
    setLastSettled(settled);
    if (settled !== typed.trim()) setTyped(settled);
  }
  useEffect(() => {
    if (typed.trim() === settled) return;
    const timer = setTimeout(() => settle(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, settled, settle]);
  return [typed, setTyped];
}
