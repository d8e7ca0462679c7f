import { columnName, type Field, type Fields, fieldsOf } from '@keyward/rules/resources/field.ts';
import Type, { type TArray, type TOptional, type TString } from 'typebox';
import { Id } from '../../kernel/schemas.ts';

type Filtered<F extends Field> = F extends { readonly filter: infer Parameter extends string }
  ? Parameter
  : never;

type ValueOf<F extends Field> = F['kind'] extends 'tags' ? TArray<TString> : TString;

type FilterSchemas<Fs extends Fields> = {
  -readonly [N in keyof Fs as Filtered<Fs[N]>]: TOptional<ValueOf<Fs[N]>>;
};

interface Noun {
  readonly one: string;
  readonly many: string;
}

type FilterField = Extract<Field, { readonly filter?: string }>;
type FilterKind = FilterField['kind'];

const SCHEMAS: { readonly [K in FilterKind]: (noun: Noun) => TString | TArray<TString> } = {
  name: () => Type.String({ maxLength: 256, description: 'The exact name.' }),
  text: ({ many }) =>
    Type.String({
      maxLength: 256,
      description: `Use the text \`null\` to find ${many} without one.`,
    }),
  plan: ({ one }) => Id('pln', `the plan set on the ${one} itself`),
  tags: ({ many }) =>
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 16,
      description: `${many[0]!.toUpperCase()}${many.slice(1)} with this tag. Repeat it to find ${many} that have all of several tags.`,
    }),
};

const filterFields = (fields: Fields) =>
  fieldsOf(fields).flatMap(([name, field]) => {
    const { filter, kind } = field as FilterField;
    return filter === undefined ? [] : [{ filter, kind, column: columnName(name, field) }];
  });

/** The query parameters of a list. */
export const filterSchemas = <Fs extends Fields>(fields: Fs, noun: Noun) =>
  Object.fromEntries(
    filterFields(fields).map(({ filter, kind }) => [filter, Type.Optional(SCHEMAS[kind](noun))]),
  ) as FilterSchemas<Fs>;

/** How a list finds records whose column is equal to a value, or has a tag. */
interface Finders<Condition> {
  /** `value` null: the column is not set. */
  equal(accountId: string, column: string, value: string | null): Condition;
  tagged(accountId: string, tag: string): Condition;
}

type FieldFilters<Fs extends Fields, Condition> = {
  readonly [N in keyof Fs as Filtered<Fs[N]>]: (
    value: Fs[N]['kind'] extends 'tags' ? readonly string[] : string,
    accountId: string,
  ) => readonly Condition[];
};

/** The conditions of a list, by query parameter. */
export const fieldFilters = <Fs extends Fields, Condition>(
  fields: Fs,
  { equal, tagged }: Finders<Condition>,
) =>
  Object.fromEntries(
    filterFields(fields).map(({ filter, kind, column }) => [
      filter,
      kind === 'tags'
        ? (tags: readonly string[], accountId: string) => tags.map((tag) => tagged(accountId, tag))
        : // In a query string, the text `null` means "unset".
          (text: string, accountId: string) => [
            equal(accountId, column, kind === 'text' && text === 'null' ? null : text),
          ],
    ]),
  ) as unknown as FieldFilters<Fs, Condition>;
