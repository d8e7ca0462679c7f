import { type Field, type Fields, fieldsOf, inputName } from '@keyward/rules/resources/field.ts';
import { KINDS, type Kinds, type OptionKind, type REFILL } from './kinds.ts';

const kindOf = ({ kind }: Field) => KINDS[kind] as OptionKind;

export type OptionOf<F extends Field> = {
  readonly value: string;
  readonly help: string;
  readonly multiple: Kinds[F['kind']] extends { readonly multiple: true } ? true : false;
};

/** Credits have two options. */
type Others<Fs extends Fields> = 'credits' extends Fs[keyof Fs]['kind'] ? typeof REFILL : unknown;

type FieldOptions<Fs extends Fields> = {
  readonly [N in keyof Fs as Fs[N]['option']]: OptionOf<Fs[N]> & {
    readonly required: Fs[N] extends { readonly required: true } ? true : false;
  };
} & Others<Fs>;

type ChangeOptions<Fs extends Fields> = {
  readonly [N in keyof Fs as Fs[N] extends { readonly fixed: true }
    ? never
    : Fs[N]['option']]: OptionOf<Fs[N]>;
} & Others<Fs>;

/** What was typed. */
export type Typed<Fs extends Fields> = {
  readonly [N in keyof Fs as Fs[N]['option']]?:
    | (OptionOf<Fs[N]>['multiple'] extends true ? readonly string[] : string)
    | undefined;
} & { readonly [N in keyof Others<Fs>]?: string | undefined };

export function optionOf(field: Field) {
  const { value, help, multiple = false } = kindOf(field);
  return { value: typeof value === 'string' ? value : value(field), help: help(field), multiple };
}

/** The options for a new record. */
export const fieldOptions = <Fs extends Fields>(fields: Fs) =>
  Object.fromEntries(
    fieldsOf(fields).flatMap(([, field]) => [
      [field.option, { ...optionOf(field), required: field.required ?? false }],
      ...Object.entries(kindOf(field).others ?? {}),
    ]),
  ) as FieldOptions<Fs>;

/** The options for a change of a record. */
export const changeOptions = <Fs extends Fields>(fields: Fs) =>
  Object.fromEntries(
    fieldsOf(fields)
      .filter(([, { fixed }]) => !fixed)
      .flatMap(([, field]) => [
        [field.option, optionOf(field)],
        ...Object.entries(kindOf(field).others ?? {}),
      ]),
  ) as ChangeOptions<Fs>;

/** The fields of the request whose options are given. */
export function fieldValues<Fs extends Fields>(
  fields: Fs,
  values: Typed<Fs>,
): Record<string, unknown> {
  const typed: Readonly<Record<string, unknown>> = values;
  const given = fieldsOf(fields).filter(([, field]) =>
    [field.option, ...Object.keys(kindOf(field).others ?? {})].some(
      (option) => typed[option] !== undefined,
    ),
  );
  return Object.fromEntries(
    given.map(([name, field]) => {
      const { read } = kindOf(field);
      const value = typed[field.option];
      return [inputName(name, field), read ? read(value as never, typed as never) : value];
    }),
  );
}

/** The options that `--clear` takes, each with the field that it unsets. */
export const clearable = (fields: Fields): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fieldsOf(fields)
      .filter(([, field]) => !field.required && !field.fixed && !kindOf(field).alwaysSet)
      .map(([name, field]) => [field.option, inputName(name, field)]),
  );
