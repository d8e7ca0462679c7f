import type { Field, Fields, Kind } from '@keyward/rules/resources/field.ts';
import type { ReactNode } from 'react';
import type { DraftValue, FieldOf } from './drafts.ts';

export interface ControlTexts {
  readonly label?: string;
  /** Null: none. */
  readonly hint?: string | null;
  readonly placeholder?: string;
}

/** Where a form says something else than the description. */
export type FormTexts<Fs extends Fields> = { readonly [N in keyof Fs]?: ControlTexts };

/** What a control of any kind gets; `Value` is what it edits. */
export interface AnyControlProps<Value> extends ControlTexts {
  readonly field: Field;
  readonly value: Value;
  /** The value when the form opened. */
  readonly before: Value;
  readonly error: string | null;
  onChange(value: Value): void;
}

export interface ControlProps<K extends Kind> extends AnyControlProps<DraftValue<K>> {
  readonly field: FieldOf<K>;
}

export type Control<K extends Kind> = (props: ControlProps<K>) => ReactNode;

/** The description without the marks of code. */
export const hintOf = ({ field, hint }: Pick<AnyControlProps<unknown>, 'field' | 'hint'>) =>
  hint === null ? undefined : (hint ?? field.help.replaceAll('`', ''));

/** The props of a control with a label, a hint and an error. */
export const textProps = <Value>(props: AnyControlProps<Value>) => ({
  label: props.label ?? props.field.label,
  hint: hintOf(props),
  placeholder: props.placeholder,
  optional: props.field.required !== true,
  error: props.error,
  value: props.value,
  onChange: props.onChange,
});
