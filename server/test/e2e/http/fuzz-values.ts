import type { SeededRandom } from '../../harness/seeded-random.ts';

/** The subset of JSON Schema that the route descriptions use. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly patternProperties?: unknown;
}

/** Strings that are known to break programs. */
export const NASTY_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\ufeff\u200b',
  'é\u0301💥𝕏'.repeat(20),
  'x'.repeat(257),
  'x'.repeat(5_000),
  '../../../../etc/passwd',
  '..%2f..%2f',
  '%00',
  '%',
  '%zz',
  '%c0%ae',
  '%ud800',
  "' OR 1=1 --",
  '"; DROP TABLE api_keys; --',
  '{{7*7}}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'true',
  'NaN',
  '-0',
  '1e309',
  '\r\nSet-Cookie: a=b',
  '\n',
  '*',
  'key_00000000000000000000000000',
  `live_${'A'.repeat(49)}`,
  '2030-02-30',
  '9999-12-31T23:59:59.999-23:59',
  '0000-01-01',
  '2030-01-01 00:00:00',
  'https://127.0.0.1/',
  'a@b',
];

/** JSON text, because some of these are not JavaScript values. */
const NASTY_JSON: readonly string[] = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e400',
  '9007199254740993',
  '99999999999999999999999999999999',
  '[]',
  '{}',
  '""',
  '[[[[[[]]]]]]',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{}}}',
  '{"a":1,"a":2}',
  '"\\ud800"',
  '"\\u0000"',
  'NaN',
  'undefined',
  "'a'",
  '01',
  '[1,]',
  '// comment',
];

export class FuzzValues {
  readonly #random: SeededRandom;
  /** Existing ids and values: the caller's own, and ids of another tenant. */
  readonly #known: readonly string[];
  /** Tame requests are mostly valid, so that every route is also exercised to its end. */
  #isTame = false;

  constructor(random: SeededRandom, known: readonly string[]) {
    this.#random = random;
    this.#known = known;
  }

  begin(): void {
    this.#isTame = this.#random.chance(0.4);
  }

  text(): string {
    const random = this.#random;
    if (random.chance(this.#isTame ? 0.95 : 0.4)) return random.pick(this.#known);
    if (random.chance(0.5)) return random.pick(NASTY_TEXTS);
    return String.fromCodePoint(
      ...Array.from({ length: random.below(24) }, () => 1 + random.below(0xd7ff)),
    );
  }

  /** A body that the route may accept, as JSON text. */
  json(schema: JsonSchema, depth = 0): string {
    const random = this.#random;
    if (this.#wild(0.04)) return random.pick(NASTY_JSON);
    if (schema.anyOf) return this.json(random.pick(schema.anyOf), depth);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum) return JSON.stringify(random.pick(schema.enum));
    switch (schema.type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return `[${Array.from({ length: random.below(4) }, () =>
          this.json(schema.items ?? {}, depth + 1),
        ).join(',')}]`;
      case 'integer':
      case 'number':
        return this.#number(schema);
      case 'boolean':
        return random.chance(0.5) ? 'true' : 'false';
      case 'null':
        return 'null';
      default:
        return JSON.stringify(this.#wild(0.5) ? this.text() : this.#plain(schema));
    }
  }

  #wild(share: number): boolean {
    return !this.#isTame && this.#random.chance(share);
  }

  /** Fits most fields: a known id where the schema expects an id, otherwise a new name or value. */
  #plain({ description = '' }: JsonSchema): string {
    if (/^Id of/.test(description)) return this.#random.pick(this.#known);
    return `plain-${this.#random.below(2_000)}`;
  }

  #number({ minimum = 0, maximum = 100 }: JsonSchema): string {
    const random = this.#random;
    const edges = [minimum, maximum, minimum - 1, maximum + 1, 0.5, -1, 2 ** 53];
    return String(this.#wild(0.5) ? random.pick(edges) : minimum + random.below(5));
  }

  #object(schema: JsonSchema, depth: number): string {
    const random = this.#random;
    const fields: string[] = [];
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const needed = schema.required?.includes(name) ?? false;
      if (!random.chance(needed ? (this.#isTame ? 1 : 0.95) : this.#isTame ? 0.1 : 0.3)) continue;
      fields.push(`${JSON.stringify(name)}:${this.json(property, depth + 1)}`);
    }
    if (random.chance(0.1))
      fields.push(`${JSON.stringify(this.text())}:${random.pick(NASTY_JSON)}`);
    if (this.#wild(0.03) && fields.length > 0) fields.push(random.pick(fields));
    if (this.#wild(0.01)) fields.push(`"deep":${'['.repeat(2_000)}${']'.repeat(2_000)}`);
    return `{${fields.join(',')}}`;
  }
}
