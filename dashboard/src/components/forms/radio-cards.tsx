import { type ReactNode, useId } from 'react';
import { cx } from '../cx.ts';

interface RadioCardsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly {
    readonly value: NoInfer<Value>;
    readonly label: ReactNode;
    /** What the option means. */
    readonly hint: ReactNode;
    readonly disabled?: boolean;
  }[];
  onChange(value: NoInfer<Value>): void;
}

/** Radio buttons with a description each. */
export function RadioCards<Value extends string>(props: RadioCardsProps<Value>) {
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-medium text-sm">{props.label}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {props.options.map(({ value, label, hint, disabled }) => (
          <label
            key={value}
            className={cx(
              'flex items-start gap-2.5 rounded-lg border px-3 py-2.5 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-focus',
              value === props.value ? 'border-accent bg-accent-soft' : 'border-line-strong',
              disabled ? 'bg-sunken text-muted' : value !== props.value && 'hover:bg-hover',
            )}
          >
            <input
              type="radio"
              name={name}
              checked={value === props.value}
              disabled={disabled}
              aria-describedby={`${name}-${value}`}
              aria-labelledby={`${name}-${value}-label`}
              onChange={() => props.onChange(value)}
              className="mt-[3px] size-4 shrink-0 outline-none"
            />
            <span className="min-w-0">
              <span id={`${name}-${value}-label`} className="block font-medium">
                {label}
              </span>
              <span id={`${name}-${value}`} className="block text-muted text-sm">
                {hint}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
