import { type Field, type Fields, fieldsOf } from '@keyward/rules/resources/field.ts';
import type { Column } from '../terminal/table.ts';
import { type OptionOf, optionOf, type Typed } from './options.ts';

type FilterKind = Extract<Field, { readonly filter?: string }>['kind'];

const lower = (label: string) => label[0]!.toLowerCase() + label.slice(1);

/** What each filter finds, in a list of `many`, such as keys. */
const HELP: { readonly [K in FilterKind]: (many: string, field: Field) => string } = {
  name: (many) => `Only ${many} with exactly this name`,
  text: (many, { label }) => {
    const noun = lower(label.replace(/ ID$/, ''));
    return `Only ${many} of this ${noun}; null: without a ${noun}`;
  },
  plan: (many) => `Only ${many} on which this plan is set`,
  tags: (many) => `Only ${many} with this tag (repeatable; they must have all of them)`,
};

type FilterOptions<Fs extends Fields> = {
  readonly [N in keyof Fs as Fs[N] extends { readonly filter: string }
    ? Fs[N]['option']
    : never]: OptionOf<Fs[N]>;
};

const filteredBy = (fields: Fields) =>
  fieldsOf(fields).flatMap(([, field]) => {
    const { filter, kind } = field as Extract<Field, { readonly filter?: string }>;
    return filter === undefined ? [] : [{ field, filter, help: HELP[kind] }];
  });

/** The options of a list that find records by their fields. */
export const filterOptions = <Fs extends Fields>(fields: Fs, many: string) =>
  Object.fromEntries(
    filteredBy(fields).map(({ field, help }) => [
      field.option,
      { ...optionOf(field), help: help(many, field) },
    ]),
  ) as FilterOptions<Fs>;

/** The query parameters whose options are given. */
export const filterValues = <Fs extends Fields>(fields: Fs, values: Typed<Fs>) =>
  Object.fromEntries(
    filteredBy(fields).map(({ field, filter }) => [
      filter,
      (values as Readonly<Record<string, string | readonly string[] | undefined>>)[field.option],
    ]),
  );

/** `columns`, and those of the listed fields that they do not have. */
export const withListed = (columns: readonly Column[], fields: Fields): readonly Column[] => [
  ...columns,
  ...fieldsOf(fields)
    .filter(([name, { listed }]) => listed && columns.every(({ field }) => field !== name))
    .map(([field, { label }]) => ({ field, title: lower(label) })),
];
