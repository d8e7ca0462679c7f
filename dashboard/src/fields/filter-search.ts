import { type Field, type Fields, fieldsOf } from '@keyward/rules/resources/field.ts';

/** The fields by which a list can be filtered. */
export type FilterField = Extract<Field, { readonly filter?: string }>;

/** `planId` of the API is `plan` in the URL of a page. */
type Parameter<Filter extends string> = Filter extends `${infer Name}Id` ? Name : Filter;

type ParameterOf<F> = F extends { readonly filter: infer Filter extends string }
  ? Parameter<Filter>
  : never;

export interface FieldFilter<Name extends string = string> {
  /** Its parameter in the URL of the page. */
  readonly parameter: Name;
  /** Its parameter in the API. */
  readonly filter: string;
  readonly field: FilterField;
  /** The name of the field in a record. */
  readonly name: string;
}

/** The filters of a list, except those that the page offers in another way. */
export function fieldFilters<Fs extends Fields, Except extends keyof Fs = never>(
  fields: Fs,
  except: readonly Except[] = [],
) {
  type Name = ParameterOf<Fs[Exclude<keyof Fs, Except>]>;
  return fieldsOf(fields).flatMap(([name, each]): readonly FieldFilter<Name>[] => {
    const field = each as FilterField;
    if (field.filter === undefined || except.some((one) => one === name)) return [];
    const parameter = field.filter.replace(/Id$/, '') as Name;
    return [{ parameter, filter: field.filter, field, name }];
  });
}

/** The parameters of a page whose list has these filters. */
export type FilterSearch<Filters> = Filters extends readonly FieldFilter<infer Name>[]
  ? { readonly [N in Name]?: string | undefined }
  : never;

const VALUE_MAX = 256;

/** The router parses values as JSON if possible, so the tag `12` arrives as a number. Invalid values are ignored. */
export const parseFilters = <Name extends string>(
  filters: readonly FieldFilter<Name>[],
  raw: Readonly<Record<string, unknown>>,
) =>
  Object.fromEntries(
    filters.flatMap(({ parameter }) => {
      const value = raw[parameter];
      const text = value === undefined || typeof value === 'object' ? '' : String(value);
      return text === '' || text.length > VALUE_MAX ? [] : [[parameter, text]];
    }),
  ) as { readonly [N in Name]?: string };

/** Removes these filters. */
export const noFilters = <Name extends string>(filters: readonly FieldFilter<Name>[]) =>
  Object.fromEntries(filters.map(({ parameter }) => [parameter, undefined])) as {
    readonly [N in Name]: undefined;
  };

/** The parameters for the API. */
export const filterQuery = <Name extends string>(
  filters: readonly FieldFilter<Name>[],
  search: { readonly [N in Name]?: string | undefined },
): Readonly<Record<string, string | readonly string[]>> =>
  Object.fromEntries(
    filters.flatMap(({ parameter, filter, field }) => {
      const value = search[parameter];
      if (value === undefined) return [];
      return [[filter, field.kind === 'tags' ? [value] : value]];
    }),
  );
