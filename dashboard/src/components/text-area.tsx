import type { TextareaHTMLAttributes } from 'react';
import { cx } from './cx.ts';
import { Field, type FieldAbout, inputClass } from './field.tsx';

interface TextAreaProps
  extends FieldAbout,
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
