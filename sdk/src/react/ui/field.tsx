import { type ReactNode, useId } from 'react';

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | null;
  /** The control, with the attributes that connect it to label, hint and error. */
  children(attributes: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean | undefined;
  }): ReactNode;
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const about = error ?? hint;
  return (
    <div className="kw-field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': about ? `${id}-about` : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {about && (
        <p id={`${id}-about`} className={error ? 'kw-error' : 'kw-hint'}>
          {about}
        </p>
      )}
    </div>
  );
}

interface SelectFieldProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly hint?: string;
  onChange(value: NoInfer<T>): void;
}

export const SelectField = <T extends string>(props: SelectFieldProps<T>) => (
  <Field label={props.label} hint={props.hint}>
    {(attributes) => (
      <select
        {...attributes}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value as T)}
      >
        {props.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
);
