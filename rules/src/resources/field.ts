// A description says what a field is called and which kind of value it has. Server, CLI and dashboard each have one
// table by kind, from which they derive schemas, columns, options and forms.

interface AnyField {
  /** Names the field in forms, tables and sentences about a change. */
  readonly label: string;
  /** What the field is for. Each consumer adds how a value of this kind is written. */
  readonly help: string;
  /** `--option` of the CLI, also its name for `--clear`. */
  readonly option: string;
  /** Always set: never null, and needed to create a record. */
  readonly required?: true;
  /** Set when the record is created, and never changed. */
  readonly fixed?: true;
  /** The name in requests, if it is another. */
  readonly input?: string;
  /** The column, if its name is another. */
  readonly column?: string;
  /** Shown in tables of the dashboard and the CLI. */
  readonly listed?: true;
}

interface Filter {
  /** The query parameter of lists that finds records by this field. */
  readonly filter?: string;
}

/** Each kind may have data of its own. */
interface DataOfKinds {
  name: Filter;
  text: Filter & { readonly max: number };
  email: object;
  choice: { readonly options: readonly [string, ...string[]]; readonly standard: string };
  prefix: object;
  plan: Filter;
  tags: Filter;
  metadata: object;
  time: object;
  expiry: object;
  scopes: object;
  permissions: object;
  domains: object;
  origins: object;
  units: object;
  addresses: object;
  resources: object;
  limit: object;
  limits: object;
  credits: object;
  planCredits: object;
}

export type Kind = keyof DataOfKinds;

export type Field = {
  readonly [K in Kind]: AnyField & DataOfKinds[K] & { readonly kind: K };
}[Kind];

export type Fields = Readonly<Record<string, Field>>;

/** The kinds that a description uses. A table for some resources needs only these. */
export type KindOf<Fs extends Fields> = Fs[keyof Fs]['kind'];

export const fieldsOf = <Fs extends Fields>(fields: Fs) =>
  Object.entries(fields) as readonly (readonly [keyof Fs & string, Field])[];

/** The name of a field in requests. */
export const inputName = (name: string, { input }: Field): string => input ?? name;

export const columnName = (name: string, { column }: Field): string => column ?? name;
