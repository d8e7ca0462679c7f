import { isDeepStrictEqual } from 'node:util';

export type Json = Record<string, unknown>;

type Kind = 'schemas' | 'responses' | 'parameters' | 'headers';

/** The parts that a document has once. Operations and other parts refer to them by their names. */
export class Components {
  readonly #parts: Readonly<Record<Kind, Map<string, Json>>> = {
    schemas: new Map(),
    responses: new Map(),
    parameters: new Map(),
    headers: new Map(),
  };

  /** A reference to the part. Code generators turn names into types, so a name stands for one part only. */
  refer(kind: Kind, name: string, part: Json): Json {
    const known = this.#parts[kind].get(name);
    if (known !== undefined && !isDeepStrictEqual(known, part))
      throw new Error(
        `Two different ${kind} of the API description are called ${name}. Give one of them another \`title\`.`,
      );
    this.#parts[kind].set(name, part);
    return { $ref: `#/components/${kind}/${name}` };
  }

  /** Schemas with a title are referred to. */
  schema(schema: unknown): Json {
    const copy = this.#walk(schema) as Json;
    return typeof copy.title === 'string' ? this.refer('schemas', copy.title, copy) : copy;
  }

  #walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#inner(item));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value)
        // Internal properties of TypeBox, which become visible in copies.
        .filter(([name]) => !name.startsWith('~'))
        .map(([name, item]) => [name, name === 'examples' ? item : this.#inner(item)]),
    );
  }

  readonly #inner = (item: unknown): unknown =>
    item !== null && typeof item === 'object' && 'title' in item && typeof item.title === 'string'
      ? this.schema(item)
      : this.#walk(item);

  /** All parts, sorted by name. */
  toJson(): Json {
    return Object.fromEntries(
      Object.entries(this.#parts).map(([kind, parts]) => [
        kind,
        Object.fromEntries([...parts].sort(([a], [b]) => (a < b ? -1 : 1))),
      ]),
    );
  }
}

/** `key_not_found` and `keyward-omitted` as a name of a component: `KeyNotFound`, `KeywardOmitted`. */
export const componentName = (text: string): string =>
  text
    .split(/[^a-zA-Z0-9]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
