import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import { cx } from '../cx.ts';

export const inputClass =
  'w-full rounded-md border border-edge bg-surface text-ink placeholder:text-faint transition-colors hover:border-muted aria-invalid:border-bad disabled:bg-sunken disabled:text-muted focus-visible:outline-offset-0';

export interface FieldTexts {
  readonly label: string;
  /** For screen readers only, where the context already shows it. */
  readonly labelHidden?: boolean | undefined;
  readonly hint?: ReactNode | undefined;
  readonly error?: string | null | undefined;
  readonly optional?: boolean | undefined;
}

interface FieldProps extends FieldTexts {
  /** Receives the attributes that connect the control with its label, hint and error. */
  children(control: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': true | undefined;
  }): ReactNode;
}

export function Field({ label, labelHidden, hint, error, optional, children }: FieldProps) {
  const id = useId();
  const described = cx(hint ? `${id}-hint` : null, error ? `${id}-error` : null);
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'font-medium text-sm'}>
        {label}
        {optional && <span className="ml-1.5 font-normal text-faint">optional</span>}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {hint && (
        <div id={`${id}-hint`} className="text-faint text-sm">
          {hint}
        </div>
      )}
      {error && (
        <div id={`${id}-error`} role="alert" className="text-bad text-sm">
          {error}
        </div>
      )}
    </div>
  );
}

interface TextFieldProps
  extends FieldTexts,
    Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value' | 'id'> {
  readonly value: string;
  onChange(value: string): void;
  readonly mono?: boolean;
  readonly trailing?: ReactNode;
  readonly ref?: Ref<HTMLInputElement>;
}

export function TextField(props: TextFieldProps) {
  const { label, labelHidden, hint, error, optional, onChange, mono, trailing, ...input } = props;
  return (
    <Field {...{ label, labelHidden, hint, error, optional }}>
      {(control) => (
        <span className="relative flex">
          <input
            {...input}
            {...control}
            aria-invalid={control['aria-invalid'] ?? input['aria-invalid']}
            onChange={(event) => onChange(event.target.value)}
            className={cx(
              inputClass,
              'h-9 px-3 max-sm:text-lg',
              mono && 'font-mono',
              trailing !== undefined && 'pr-10',
              input.className,
            )}
          />
          {trailing && (
            <span className="absolute inset-y-0 right-0.5 flex items-center">{trailing}</span>
          )}
        </span>
      )}
    </Field>
  );
}

interface TextAreaProps
  extends FieldTexts,
    Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value' | 'id'> {
  readonly value: string;
  onChange(value: string): void;
}

export function TextArea(props: TextAreaProps) {
  const { label, labelHidden, hint, error, optional, onChange, ...area } = props;
  return (
    <Field {...{ label, labelHidden, hint, error, optional }}>
      {(control) => (
        <textarea
          rows={4}
          {...area}
          {...control}
          onChange={(event) => onChange(event.target.value)}
          className={cx(inputClass, 'px-3 py-2 max-sm:text-lg', area.className)}
        />
      )}
    </Field>
  );
}
