import {
  columnName,
  type Field,
  type Fields,
  fieldsOf,
  inputName,
} from '@keyward/rules/resources/field.ts';
import type { Static } from 'typebox';
import { KeywardError } from '../../kernel/errors.ts';
import { KINDS, type Kinds, type Reading } from './kinds.ts';
import type { CreateSchemas, Values } from './schemas.ts';

type ColumnName<F extends Field, Name> = F extends { readonly column: infer Column extends string }
  ? Column
  : Name;

/** The kinds with this function. */
type KindWith<Function extends 'write' | 'read'> = {
  [K in keyof Kinds]: Function extends keyof Kinds[K] ? K : never;
}[keyof Kinds];

type Written<F extends Field> = Kinds[F['kind']] extends { write(...args: never): infer Stored }
  ? F extends { readonly options: readonly (infer Option)[] }
    ? Option
    : F extends { readonly required: true }
      ? NonNullable<Stored>
      : Stored
  : never;

type Stored<F extends Field> = Kinds[F['kind']] extends { read(stored: infer S): unknown }
  ? S
  : never;

/** The columns of a new record. */
type Columns<Fs extends Fields> = {
  -readonly [N in keyof Fs as Fs[N]['kind'] extends KindWith<'write'>
    ? ColumnName<Fs[N], N>
    : never]: Written<Fs[N]>;
};

/** The columns that an update can set. */
type ChangedColumns<Fs extends Fields> = Partial<
  Columns<{ readonly [N in keyof Fs as Fs[N] extends { readonly fixed: true } ? never : N]: Fs[N] }>
>;

/** A row from which the fields can be read. */
type RowOf<Fs extends Fields> = {
  readonly [N in keyof Fs as Fs[N]['kind'] extends KindWith<'read'>
    ? ColumnName<Fs[N], N>
    : never]: Stored<Fs[N]>;
};

/** The fields that a row has. */
type ValuesIn<Fs extends Fields> = Pick<
  Values<Fs>,
  { [N in keyof Fs]: Fs[N]['kind'] extends KindWith<'read'> ? N : never }[keyof Fs]
>;

/** The fields that are written to columns. */
type WithWrite<Fs extends Fields> = {
  readonly [N in keyof Fs as Fs[N]['kind'] extends KindWith<'write'> ? N : never]: Fs[N];
};

/** What a request may send: `null` where a field can be unset. */
type InputOf<Fs extends Fields> = {
  readonly [N in keyof CreateSchemas<WithWrite<Fs>>]?: Static<
    CreateSchemas<WithWrite<Fs>>[N]
  > | null;
};

type Times = Pick<Reading, 'notBefore'>;
const ANY_TIME: Times = { notBefore: null };

interface AnyKind {
  write?(value: unknown, reading: Reading, field: Field): unknown;
  read?(stored: unknown): unknown;
}

/** How the fields of a resource are stored. */
export function columnsOf<const Fs extends Fields>(fields: Fs) {
  const all = fieldsOf(fields).map(([name, field]) => {
    const { write, read } = KINDS[field.kind] as AnyKind;
    const sent = inputName(name, field);
    return { name, sent, column: columnName(name, field), field, write, read };
  });
  const readable = all.flatMap(({ read, name, column }) => (read ? [{ read, name, column }] : []));
  const columns = (input: object, times: Times, isUpdate: boolean) => {
    const written: Record<string, unknown> = {};
    for (const { name, sent, column, field, write } of all) {
      const { value, used } = valueIn(input as Record<string, unknown>, sent, name);
      if (write !== undefined && !(isUpdate && (field.fixed || value === undefined)))
        written[column] = write(value, { ...times, name: used }, field);
    }
    return written;
  };
  return {
    /** The columns of a new record. */
    toInsert: (input: InputOf<Fs>, times = ANY_TIME) => columns(input, times, false) as Columns<Fs>,
    /** The columns that an update names. */
    toUpdate: (input: InputOf<Fs>, times = ANY_TIME) =>
      columns(input, times, true) as ChangedColumns<Fs>,
    /** The fields of a record. */
    read(row: RowOf<Fs>): ValuesIn<Fs> {
      const values: Record<string, unknown> = {};
      for (const { read, name, column } of readable)
        values[name] = read((row as Record<string, unknown>)[column]);
      return values as ValuesIn<Fs>;
    },
  };
}

/** A request may use the name of the field in records, too. */
function valueIn(
  input: Record<string, unknown>,
  sent: string,
  name: string,
): { readonly value: unknown; readonly used: string } {
  const used = input[sent] === undefined && input[name] !== undefined ? name : sent;
  if (input[name] !== undefined && input[used] !== input[name])
    throw new KeywardError('invalid_body', `${sent} and ${name} differ. Send one of them.`);
  return { value: input[used], used };
}

type Optional<Fs extends Fields> = {
  readonly [N in keyof Fs as Fs[N] extends { readonly required: true } ? never : N]: Fs[N];
};

/** A record in which nothing is set that can be unset. */
export const unsetValues = <const Fs extends Fields>(fields: Fs): Values<Optional<Fs>> => {
  const none = { null: () => null, empty: () => [], standard: standardValue };
  return Object.fromEntries(
    fieldsOf(fields)
      .filter(([, { required }]) => !required)
      .map(([name, field]) => [name, none[KINDS[field.kind].unset](field)]),
  ) as never;
};

function standardValue(field: Field): unknown {
  const { write, read } = KINDS[field.kind] as AnyKind;
  return read!(write!(undefined, { name: '', ...ANY_TIME }, field));
}

/** The fields that are not among `names`. */
export const without = <const Fs extends Fields, Name extends string>(
  fields: Fs,
  names: Readonly<Record<Name, unknown>>,
): Omit<Fs, Name> =>
  Object.fromEntries(
    Object.entries(fields).filter(([name]) => !Object.hasOwn(names, name)),
  ) as never;

/** The columns that differ from the row; null if none. */
export function differences<Row extends object, Wanted extends Partial<Row>>(
  row: Row,
  wanted: Wanted,
): Partial<Wanted> | null {
  const changed = Object.entries(wanted).filter(
    ([column, value]) => row[column as keyof Row] !== value,
  );
  return changed.length === 0 ? null : (Object.fromEntries(changed) as Partial<Wanted>);
}
