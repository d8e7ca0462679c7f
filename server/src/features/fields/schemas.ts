import { type Field, type Fields, fieldsOf, inputName } from '@keyward/rules/resources/field.ts';
import Type, {
  type Static,
  type TNull,
  type TOptional,
  type TSchema,
  type TUnion,
  type TUnsafe,
} from 'typebox';
import { nullable } from '../../kernel/schemas.ts';
import { KINDS, type Kinds } from './kinds.ts';

/** The types of the schemas are exact, so that those of records and requests are. */
type Schema<F extends Field, Side extends 'input' | 'output'> = F extends {
  readonly options: readonly (infer Option)[];
}
  ? TUnsafe<Option>
  : ReturnType<Kinds[F['kind']][Side]>;

type OrNull<S extends TSchema> = TUnion<[S, TNull]>;
/** Never: the field is always set. */
type UnsetOf<F extends Field> = F extends { readonly required: true }
  ? never
  : Kinds[F['kind']]['unset'];

type InputName<F extends Field, Name> = F extends { readonly input: infer Input extends string }
  ? Input
  : Name;

type InputSchema<F extends Field> =
  UnsetOf<F> extends 'standard' ? Schema<F, 'input'> : OrNull<Schema<F, 'input'>>;

type OutputSchema<F extends Field> =
  'null' extends UnsetOf<F> ? OrNull<Schema<F, 'output'>> : Schema<F, 'output'>;

/** A field with another name in requests is accepted under the name in records, too. */
type OtherNames<Fs extends Fields> = {
  -readonly [N in keyof Fs as Fs[N] extends { readonly input: string } ? N : never]: TOptional<
    InputSchema<Fs[N]>
  >;
};

export type CreateSchemas<Fs extends Fields> = OtherNames<Fs> & {
  -readonly [N in keyof Fs as InputName<Fs[N], N>]: Fs[N] extends { readonly required: true }
    ? InputSchema<Fs[N]>
    : TOptional<InputSchema<Fs[N]>>;
};

type UpdateSchemas<Fs extends Fields> = OtherNames<Fs> & {
  -readonly [N in keyof Fs as Fs[N] extends { readonly fixed: true }
    ? never
    : InputName<Fs[N], N>]: TOptional<
    Kinds[Fs[N]['kind']] extends { update(): infer S extends TSchema } ? S : InputSchema<Fs[N]>
  >;
};

type OutputSchemas<Fs extends Fields> = { -readonly [N in keyof Fs]: OutputSchema<Fs[N]> };

/** What a record has in these fields. */
export type Values<Fs extends Fields> = { -readonly [N in keyof Fs]: Static<OutputSchema<Fs[N]>> };

interface AnyKind {
  readonly unset: 'null' | 'empty' | 'standard';
  input(field: Field): TSchema;
  output(field: Field): TSchema;
  note?(field: Field): string;
  update?(): TSchema;
}

const kindOf = ({ kind }: Field) => KINDS[kind] as AnyKind;

function inputSchema(field: Field): TSchema {
  const { unset, input, note } = kindOf(field);
  const schema = input(field);
  if (field.required || unset === 'standard') return schema;
  return Type.Union([schema, Type.Null()], note && { description: note(field) });
}

const asObject = <T>(entries: readonly (readonly [string, unknown])[]): T =>
  Object.fromEntries(entries) as T;

/** The fields of a request that creates a record. */
export const createSchemas = <Fs extends Fields>(fields: Fs) =>
  asObject<CreateSchemas<Fs>>(
    fieldsOf(fields).flatMap(([name, field]) => {
      const schema = inputSchema(field);
      return [
        [inputName(name, field), field.required ? schema : Type.Optional(schema)],
        ...otherName(name, field),
      ];
    }),
  );

function otherName(name: string, field: Field): [string, TSchema][] {
  if (field.input === undefined) return [];
  const help = `The same as \`${field.input}\`: the name in records.`;
  return [[name, Type.Optional(inputSchema({ ...field, help }))]];
}

/** The fields of a request that changes a record: all optional. */
export const updateSchemas = <Fs extends Fields>(fields: Fs) =>
  asObject<UpdateSchemas<Fs>>(
    fieldsOf(fields)
      .filter(([, { fixed }]) => !fixed)
      .flatMap(([name, field]) => [
        [
          inputName(name, field),
          Type.Optional(kindOf(field).update?.() ?? inputSchema(field)),
        ] as const,
        ...otherName(name, field),
      ]),
  );

/** The fields of a record. */
export const outputSchemas = <Fs extends Fields>(fields: Fs) =>
  asObject<OutputSchemas<Fs>>(
    fieldsOf(fields).map(([name, field]) => {
      const { unset, output } = kindOf(field);
      const schema = output(field);
      return [name, unset === 'null' && !field.required ? nullable(schema) : schema];
    }),
  );
