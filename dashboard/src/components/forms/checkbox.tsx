import { type ReactNode, useId } from 'react';
import { cx } from '../cx.ts';

interface CheckboxProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  onChange(checked: boolean): void;
  readonly disabled?: boolean;
  /** Some, but not all, of the items that it represents are selected. */
  readonly mixed?: boolean;
}

export function Checkbox({ label, hint, checked, onChange, disabled, mixed }: CheckboxProps) {
  const id = useId();
  return (
    <div className={cx('flex items-start gap-2.5', disabled && 'opacity-60')}>
      <input
        type="checkbox"
        id={id}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        ref={(input) => {
          if (input) input.indeterminate = mixed ?? false;
        }}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-[3px] size-4 shrink-0 rounded"
      />
      <div className="min-w-0">
        <label htmlFor={id}>{label}</label>
        {hint && (
          <div id={`${id}-hint`} className="text-faint text-sm">
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}
