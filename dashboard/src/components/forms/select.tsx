import { ChevronDown } from 'lucide-react';
import type { SelectHTMLAttributes } from 'react';
import { cx } from '../cx.ts';
import { Field, type FieldTexts, inputClass } from './field.tsx';

export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly disabled?: boolean;
}

interface SelectProps<Value extends string>
  extends FieldTexts,
    Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value' | 'id'> {
  readonly value: Value;
  readonly options: readonly Option<Value>[];
  onChange(value: NoInfer<Value>): void;
  readonly dense?: boolean;
}

/** A native select, which is easiest to use on a phone and with a keyboard. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, labelHidden, hint, error, optional, options, onChange, dense, ...rest } = props;
  return (
    <Field {...{ label, labelHidden, hint, error, optional }}>
      {(control) => (
        <span className="relative flex">
          <select
            {...rest}
            {...control}
            onChange={(event) => onChange(event.target.value as Value)}
            className={cx(
              inputClass,
              'appearance-none pr-8 pl-3',
              dense ? 'h-8 text-sm' : 'h-9 max-sm:text-lg',
            )}
          >
            {options.map(({ value, label: text, disabled }) => (
              <option key={value} value={value} disabled={disabled}>
                {text}
              </option>
            ))}
          </select>
          <ChevronDown
            aria-hidden
            className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted"
          />
        </span>
      )}
    </Field>
  );
}
