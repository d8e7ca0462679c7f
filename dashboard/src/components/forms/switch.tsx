import { type ReactNode, useId } from 'react';

interface SwitchProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  onChange(checked: boolean): void;
}

/** For settings that take effect immediately. Use a checkbox in a form that is saved. */
export function Switch({ label, hint, checked, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-6">
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint && (
          <div id={`${id}-hint`} className="text-faint text-sm">
            {hint}
          </div>
        )}
      </div>
      <input
        type="checkbox"
        role="switch"
        id={id}
        checked={checked}
        aria-checked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
        className="relative h-5 w-9 shrink-0 appearance-none rounded-full bg-edge transition-colors before:absolute before:top-0.5 before:left-0.5 before:size-4 before:rounded-full before:bg-surface before:transition-transform before:content-[''] checked:bg-accent checked:before:translate-x-4"
      />
    </div>
  );
}
