import { useId } from 'react';
import { cx } from '../cx.ts';

interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: NoInfer<Value>; readonly label: string }[];
  onChange(value: NoInfer<Value>): void;
}

/** Radio buttons in one row. */
export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
  // Unique, because a page may have two with the same label.
  const name = useId();
  return (
    <fieldset className="flex w-fit min-w-0 max-w-full flex-wrap rounded-lg border border-line bg-sunken p-0.5">
      <legend className="sr-only">{props.label}</legend>
      {props.options.map(({ value, label }) => (
        <label
          key={value}
          className={cx(
            'flex h-7 shrink-0 items-center whitespace-nowrap rounded-md px-2.5 font-medium text-sm transition-colors has-focus-visible:outline-2 has-focus-visible:outline-focus',
            value === props.value
              ? 'bg-surface text-ink shadow-raised'
              : 'text-muted hover:text-ink',
          )}
        >
          <input
            type="radio"
            className="sr-only"
            name={name}
            checked={value === props.value}
            onChange={() => props.onChange(value)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
