import { Search, X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { useShortcut } from '../../app/browser/shortcuts.ts';
import { Button } from '../buttons/button.tsx';
import { Kbd } from '../buttons/kbd.tsx';
import { TextField } from '../forms/field.tsx';

interface FilterBarProps {
  readonly search?: {
    readonly label: string;
    readonly value: string;
    onChange(value: string): void;
  };
  /** Filters, such as dense selects. */
  readonly children?: ReactNode;
  /** Set if a filter is active. */
  readonly onClear?: (() => void) | undefined;
  /** Number of rows, as text. */
  readonly count?: ReactNode;
}

export function FilterBar({ search, children, onClear, count }: FilterBarProps) {
  const input = useRef<HTMLInputElement>(null);
  useShortcut('/', 'Search this list', () => input.current?.focus(), { enabled: !!search });
  return (
    <search className="flex flex-wrap items-end gap-2">
      {search && (
        <div className="relative w-full sm:w-72">
          <Search
            aria-hidden
            className="pointer-events-none absolute top-1/2 left-2.5 z-10 size-4 -translate-y-1/2 text-muted"
          />
          <TextField
            ref={input}
            label={search.label}
            labelHidden
            placeholder={search.label}
            type="search"
            value={search.value}
            onChange={search.onChange}
            autoComplete="off"
            className="h-8! pl-8 text-sm [&::-webkit-search-cancel-button]:hidden"
            trailing={
              <span className="pr-1.5 max-sm:hidden">
                <Kbd keys="/" />
              </span>
            }
          />
        </div>
      )}
      {children}
      {onClear && (
        <Button kind="quiet" icon={<X />} onClick={onClear}>
          Clear
        </Button>
      )}
      {count && (
        <output className="ml-auto self-center text-faint text-sm tabular-nums">{count}</output>
      )}
    </search>
  );
}
