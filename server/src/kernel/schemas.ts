import Type, { type Static, type TSchema } from 'typebox';

// Schemas that several resources share, with their limits.

/** An object that has no fields but these. */
export const strict = <T extends Record<string, TSchema>>(properties: T, title?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(title && { title }) });

/** The body of an update: some of these fields. */
export const someOf = <T extends Record<string, TSchema>>(properties: T, title: string) =>
  Type.Object(properties, { additionalProperties: false, minProperties: 1, title });

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Names a parameter in the API description, which has others of its name: `PlanIdInPath`, `ProjectIdInPath`. */
export const titled = <T extends TSchema>(title: string, schema: T): T =>
  // A copy with spread would show the internal properties of TypeBox.
  Object.defineProperties({ title } as unknown as T, Object.getOwnPropertyDescriptors(schema));

export const Id = (prefix: string, what: string, more = '') =>
  Type.String({
    description: `Id of ${what}: \`${prefix}_…\`. ${more}`.trimEnd(),
    minLength: 1,
    maxLength: 64,
  });

export const NameOf = (description: string) =>
  Type.String({ minLength: 1, maxLength: 256, description });

export const Name = NameOf('A name for display.');

export const AccountParams = strict({ id: titled('AccountId', Id('acc', 'the account')) });

/** `accountFor` reads it. */
export const AccountOfRequest = Type.Optional(
  Id('acc', 'the account', 'Default: the caller’s own.'),
);

/** Restricts a list to one project. */
export const VisibleProject = Type.Optional(
  titled('VisibleProjectId', Id('prj', 'the project', 'Default: all that the caller may see.')),
);

export const CustomId = Type.String({ minLength: 1, maxLength: 256 });

export const Email = (description: string) =>
  Type.String({ minLength: 3, maxLength: 320, pattern: '^[^\\s@]+@[^\\s@]+$', description });

export const Metadata = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Any JSON object, up to 16 KB and 32 levels deep.',
  examples: [{ plan: 'pro' }],
});

export const Time = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' });

/** A time as a caller writes it; `readTime` and `readQueryTime` parse it. */
export const TimeInput = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 40,
    description: `${description} An ISO 8601 date-time, a date, or \`YYYY-MM-DD HH:mm:ss\`; UTC unless it has an offset.`,
    examples: ['2030-01-01T00:00:00.000Z', '2030-01-01', '2030-01-01 12:00:00'],
  });

export const MAX_TTL_SECONDS = 31 * 86_400;

export const RateLimit = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'Requests permitted in a window.',
});

export const RateLimitTtl = Type.Integer({
  minimum: 1,
  maximum: MAX_TTL_SECONDS,
  description: 'Length of the window in seconds; it opens at the first request.',
});

export const RateLimitConfigs = Type.Object(
  { rateLimit: RateLimit, rateLimitTtl: RateLimitTtl },
  {
    additionalProperties: false,
    title: 'RateLimitConfigs',
    examples: [{ rateLimit: 10, rateLimitTtl: 60 }],
  },
);
export type RateLimitConfigs = Static<typeof RateLimitConfigs>;

/** In an update: theauthapi declares the object without properties, so an empty one leaves the limit as it is. */
export const RateLimitConfigsUpdate = Type.Union([RateLimitConfigs, strict({}), Type.Null()], {
  description: '`null` removes the limit; `{}` leaves it as it is.',
});

/** The columns that an update of `rateLimitConfigs` sets. */
export function rateLimitColumns(input: Static<typeof RateLimitConfigsUpdate> | undefined): {
  rate_limit?: number | null;
  rate_limit_ttl?: number | null;
} {
  if (input === null) return { rate_limit: null, rate_limit_ttl: null };
  if (input === undefined || !('rateLimit' in input)) return {};
  return { rate_limit: input.rateLimit, rate_limit_ttl: input.rateLimitTtl };
}

export const rateLimitConfigs = (row: {
  rate_limit: number | null;
  rate_limit_ttl: number | null;
}): RateLimitConfigs | null =>
  row.rate_limit === null || row.rate_limit_ttl === null
    ? null
    : { rateLimit: row.rate_limit, rateLimitTtl: row.rate_limit_ttl };

export const GraceSeconds = Type.Integer({
  minimum: 0,
  maximum: 30 * 86_400,
  description: 'How long the old value stays valid. 0, the default: it stops working at once.',
});

/** The ids that link a rotated key and its successor; either may have been erased. */
export const Rotation = (prefix: string) => ({
  rotatedFrom: nullable(Id(prefix, 'the key that this one replaces, if it came from a rotation')),
  rotatedTo: nullable(Id(prefix, 'the key that replaces this one, if it was rotated')),
});

export const rotation = (row: { rotated_from: string | null; rotated_to: string | null }) => ({
  rotatedFrom: row.rotated_from,
  rotatedTo: row.rotated_to,
});

/** A page ends when its JSON would be longer than this. */
export const PAGE_BYTES_MAX = 1024 * 1024;

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description:
        'Most items of a page, which also ends at 1 MB, or when a filter has compared 5,000 keys: the `Link` header says whether there is a next page. Without it the whole list is sent.',
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description:
        'Items to skip, at most 10,000; not together with `cursor`, which reads lists of any length.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 128, description: 'From the `Link` header of the page before.' }),
  ),
};

/** Of lists that can be sorted by name: their cursors contain a name. */
export const SortedPageQuery = {
  ...PageQuery,
  cursor: Type.Optional(
    Type.String({
      title: 'LongCursor',
      maxLength: 2048,
      description: 'From the `Link` header of the previous page.',
    }),
  ),
};

/** What became of one row of an import. `noun`: what is imported, such as `key`. */
export const importedRow = (title: string, prefix: string, noun: string) =>
  Type.Object(
    {
      index: Type.Integer({ description: 'Position of the row in the request, from 0.' }),
      status: Type.Union(
        [
          Type.Literal('imported'),
          Type.Literal('importable'),
          Type.Literal('exists'),
          Type.Literal('refused'),
        ],
        {
          description: `\`importable\`: the row would be imported without \`dryRun\`. \`exists\`: the project already has this ${noun}, which is not changed.`,
        },
      ),
      id: Type.Optional(Id(prefix, `the imported or existing ${noun}`)),
      code: Type.Optional(Type.String({ description: 'For a refused row: the error code.' })),
      message: Type.Optional(
        Type.String({ description: 'For a refused row: the error message for people.' }),
      ),
    },
    { title },
  );

export const Deleted = Type.Literal(true, { description: 'Always `true`.' });

/** The reply once the work is done. */
export const deleted = (work: Promise<unknown>): Promise<true> => work.then(() => true);
