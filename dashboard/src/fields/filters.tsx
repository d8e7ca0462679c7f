import { type FormEvent, type ReactNode, useState } from 'react';
import { usePlans } from '../api/plans.ts';
import { useProject } from '../app/current.ts';
import { Button } from '../components/buttons/button.tsx';
import { TextField } from '../components/forms/field.tsx';
import { FilterMenu, FilterPopover } from '../components/tables/filter-chip.tsx';
import type { FieldFilter, FilterField } from './filter-search.ts';

interface FilterProps {
  readonly label: string;
  readonly chosen: string | undefined;
  /** Values that are offered. */
  readonly seen: readonly string[];
  onChange(value: string | undefined): void;
}

/** How a list is filtered by each kind of value. */
const FILTERS: { readonly [K in FilterField['kind']]: (props: FilterProps) => ReactNode } = {
  name: TypedFilter,
  text: TypedFilter,
  plan: PlanFilter,
  tags: TagFilter,
};

function PlanFilter({ label, chosen, onChange }: FilterProps) {
  const plans = usePlans(useProject().id).data ?? [];
  if (plans.length === 0 && chosen === undefined) return null;
  return (
    <FilterMenu
      {...{ label, chosen }}
      options={plans.map(({ id, name }) => ({ value: id, label: name }))}
      onChoose={onChange}
      onRemove={() => onChange(undefined)}
    />
  );
}

function TagFilter({ label, chosen, seen, onChange }: FilterProps) {
  const own = chosen === undefined ? [] : [chosen];
  const tags = [...new Set([...own, ...seen])].sort();
  if (tags.length === 0) return null;
  return (
    <FilterMenu
      label={label.replace(/s$/, '')}
      chosen={chosen}
      options={tags.map((tag) => ({ value: tag, label: tag }))}
      onChoose={onChange}
      onRemove={() => onChange(undefined)}
    />
  );
}

function TypedFilter({ label, chosen, onChange }: FilterProps) {
  return (
    <FilterPopover label={label} value={chosen} onRemove={() => onChange(undefined)}>
      {(close) => (
        <TypedForm
          {...{ label, chosen }}
          onChange={(value) => {
            close();
            onChange(value);
          }}
        />
      )}
    </FilterPopover>
  );
}

function TypedForm({ label, chosen = '', onChange }: Omit<FilterProps, 'seen'>) {
  const [text, setText] = useState(chosen);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(text.trim() || undefined);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField label={label} value={text} onChange={setText} maxLength={256} autoComplete="off" />
      <Button kind="solid" type="submit">
        Apply
      </Button>
    </form>
  );
}

interface FieldFiltersProps<Name extends string> {
  readonly filters: readonly FieldFilter<Name>[];
  readonly search: { readonly [N in Name]?: string | undefined };
  /** Records whose values are offered. */
  readonly seen: readonly object[];
  /** Where a filter is called something else than its field. */
  readonly labels?: { readonly [N in Name]?: string };
  onChange(change: { readonly [N in Name]?: string | undefined }): void;
}

/** The filters of a list, one for each field that has one. */
export const FieldFilters = <Name extends string>(props: FieldFiltersProps<Name>) =>
  props.filters.map(({ parameter, field, name }) => {
    const Filter = FILTERS[field.kind];
    return (
      <Filter
        key={parameter}
        label={props.labels?.[parameter] ?? field.label}
        chosen={props.search[parameter]}
        seen={props.seen.flatMap((record) => (record as Record<string, string[]>)[name] ?? [])}
        onChange={(value) =>
          props.onChange({ [parameter]: value } as { [N in Name]?: string | undefined })
        }
      />
    );
  });
