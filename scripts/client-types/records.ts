/** The part of a schema in docs/openapi.json that is used here. */
export interface Schema {
  readonly type?: string;
  /** Our constants are texts. */
  readonly enum?: readonly string[];
  readonly $ref?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}
export type Schemas = Readonly<Record<string, Schema>>;

interface ClientRecord {
  readonly schema: Schema;
  readonly about: string;
  readonly python: string;
  readonly go: string;
  /** Go has no such type; its fields may have any. */
  readonly isUnion?: true;
  /** In Go, the record with which this one begins. */
  readonly goEmbeds?: string;
  /** In Go, fields that a response may lack are null in JSON: the record that embeds this one always has them. */
  readonly goKeepsEmpty?: true;
  readonly goNote?: string;
  /** In Go, a type that the schema does not tell. */
  readonly goTypes?: Readonly<Record<string, string>>;
  /** In Go, the lines of a field that is not part of the body. */
  readonly goExtra?: readonly string[];
}

/** The records of the Python and Go clients. Other records inside of them are plain maps. */
function recordsOf(schemas: Schemas): readonly ClientRecord[] {
  const event = schemas.ApiKeyCreated!;
  return [
    {
      schema: schemas.RequiredPermissions!,
      about: 'A name, a list of names that are all required, or `{"all": […]}` or `{"any": […]}`.',
      python: 'Permissions',
      go: 'any',
      isUnion: true,
    },
    {
      schema: schemas.RateLimitConfigs!,
      about: 'The limit of a key.',
      python: 'RateLimitConfigs',
      go: 'RateLimitConfigs',
    },
    {
      schema: schemas.ValidatedKey!,
      about: 'The record of a validated key.',
      python: 'KeyRecord',
      go: 'KeyRecord',
      goKeepsEmpty: true,
    },
    {
      schema: schemas.ApiKey!,
      about: 'The record of a key as the management API shows it.',
      python: 'ApiKey',
      go: 'APIKey',
      goEmbeds: 'KeyRecord',
    },
    {
      schema: schemas.CreateApiKey!,
      about: 'A request to create a key.',
      python: 'CreateKey',
      go: 'CreateKey',
      goNote: 'Empty fields are not sent.',
      goExtra: [
        '// IdempotencyKey makes a repeated call return the first result. By default it is random.',
        'IdempotencyKey string `json:"-"`',
      ],
    },
    {
      schema: schemas.KeyInBatch!,
      about: 'A value in a batch, with requirements for this key alone.',
      python: 'KeyToValidate',
      go: 'KeyToValidate',
    },
    {
      schema: event.properties!.actor!,
      about: 'The customer that made a change in the portal.',
      python: 'WebhookActor',
      go: 'WebhookActor',
    },
    {
      schema: anyEvent(event),
      about: 'The payload of a delivery.',
      python: 'WebhookEvent',
      go: 'WebhookEvent',
      goTypes: { data: 'json.RawMessage' },
    },
    ...['AccessKey', 'Customer', 'Plan', 'Project'].map((name) => ({
      schema: schemas[name]!,
      about: `${/^[AEIO]/.test(name) ? 'An' : 'A'} ${name === 'AccessKey' ? 'access key' : name.toLowerCase()}, as in the data of an event.`,
      python: name,
      go: name,
    })),
  ];
}

/** Events differ in two fields only. */
const anyEvent = (event: Schema): Schema => ({
  ...event,
  properties: {
    ...event.properties,
    type: { type: 'string', description: 'The topic, such as `api-key.created`.' },
    data: { type: 'object', description: 'Its fields depend on the topic.' },
  },
});

/** A type without its notation in a language. `texts` is an object with strings only. */
export type Shape =
  | { readonly kind: 'string' | 'integer' | 'boolean' | 'object' | 'texts' }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'union'; readonly of: readonly Shape[] }
  | { readonly kind: 'record'; readonly record: ClientRecord };

export interface RecordField {
  readonly name: string;
  readonly about: string;
  readonly shape: Shape;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
}

/** Reads the schemas of records. */
export class Records {
  readonly all: readonly ClientRecord[];
  readonly #schemas: Schemas;

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
    this.all = recordsOf(schemas);
  }

  fields({ schema }: ClientRecord): readonly RecordField[] {
    return Object.entries(schema.properties ?? {}).map(([name, field]) => ({
      name,
      about: field.description ?? field.anyOf?.find(isNotNull)?.description ?? '',
      shape: this.shape(field),
      isRequired: schema.required?.includes(name) ?? false,
      isNullable: field.anyOf?.some((option) => !isNotNull(option)) ?? false,
    }));
  }

  /** The type of a schema, unless that is null. */
  shape(schema: Schema): Shape {
    const { $ref } = schema;
    const target = $ref === undefined ? schema : this.#schemas[$ref.split('/').at(-1)!]!;
    const record = this.all.find((each) => each.schema === target);
    return record === undefined ? this.ownShape(target) : { kind: 'record', record };
  }

  /** The type of a schema by its contents, even if it is the schema of a record. */
  ownShape({ anyOf, items, properties, enum: texts, type = texts && 'string' }: Schema): Shape {
    if (anyOf !== undefined) {
      const shapes = anyOf.filter(isNotNull).map((option) => this.shape(option));
      const different = new Set(shapes.map((shape) => JSON.stringify(shape)));
      return different.size === 1 ? shapes[0]! : { kind: 'union', of: shapes };
    }
    switch (type) {
      case 'string':
      case 'integer':
      case 'boolean':
        return { kind: type };
      case 'array':
        return { kind: 'list', of: this.shape(items!) };
      case 'object': {
        const fields = Object.values(properties ?? {});
        const areTexts = fields.length > 0 && fields.every((field) => field.type === 'string');
        return { kind: areTexts ? 'texts' : 'object' };
      }
      default:
        throw new Error(`no type in the clients for ${type}; see scripts/client-types/records.ts`);
    }
  }
}

/** A code for which a key is refused, with the status of its response. */
export interface Refusal {
  readonly code: string;
  readonly status: number;
}
export const ABOUT_REFUSALS =
  'Why a key is refused, with the status of each code. Any other failure is not about the key.';

const isNotNull = ({ type }: Schema): boolean => type !== 'null';

/** The words of a comment in lines of at most `width` characters. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter(Boolean)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
