import type { CompiledQuery } from 'kysely';

/** Stands for a value while a query is compiled. */
export class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The parameters of a query, with named values in place of its placeholders. */
export const parametersOf = (
  query: CompiledQuery,
  values: Readonly<Record<string, unknown>>,
): unknown[] =>
  query.parameters.map((parameter) => {
    if (!(parameter instanceof Placeholder)) return parameter;
    const value = values[parameter.name];
    if (value === undefined) throw new TypeError(`There is no value for ${parameter.name}.`);
    return value;
  });
