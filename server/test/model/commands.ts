import fc from 'fast-check';

/** Index of a key or value, counted from the newest, modulo the number of existing ones. */
type ItemIndex = number;

export type Command =
  | {
      readonly kind: 'create';
      readonly limit: number | null;
      readonly ttl: number;
      readonly expiresIn: number | null;
      readonly domains: boolean;
      readonly startsIn: number | null;
      readonly addresses: readonly string[] | null;
      readonly permissions: readonly string[];
      readonly customValue: number | null;
    }
  | {
      readonly kind: 'update';
      readonly key: ItemIndex;
      readonly limit: number | null | undefined;
      readonly ttl: number;
      readonly expiresIn: number | null | undefined;
      readonly permissions: readonly string[] | undefined;
      readonly addresses: readonly string[] | null | undefined;
      readonly customValue: number | undefined;
    }
  | { readonly kind: 'revoke' | 'reactivate' | 'erase'; readonly key: ItemIndex }
  | { readonly kind: 'rotate'; readonly key: ItemIndex; readonly grace: number }
  | {
      readonly kind: 'validate';
      readonly value: ItemIndex;
      readonly form: RequestForm;
      readonly origin: boolean;
      readonly clientIP: string | undefined;
      readonly required: readonly string[] | undefined;
      readonly cost: number | undefined;
      readonly times: number;
    }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'delete project' | 'reactivate project' };

export type RequestForm = 'path' | 'body' | 'old form' | 'batch';

/** Prefers the newest key: only a key that is used often reaches deep states. */
const key = fc.oneof(fc.constant(0), fc.constant(0), fc.nat(20));
const limit = fc.integer({ min: 1, max: 3 });
const ttl = fc.constantFrom(1, 2, 60);
const customValue = fc.nat(3);
const expiresIn = fc.constantFrom(1, 1_000, 60_000);
const unset = fc.constant(undefined);
const nil = fc.constant(null);

const permissions = fc.constantFrom<string[]>([], [], ['a.read'], ['a.*', 'b'], ['*']);
const addresses = fc.constantFrom(null, null, null, ['192.0.2.1', '10.0.0.0/8']);

const create = fc.record({
  kind: fc.constant('create' as const),
  limit: fc.oneof(nil, limit),
  ttl,
  expiresIn: fc.oneof(nil, nil, expiresIn),
  domains: fc.constantFrom(false, false, false, true),
  startsIn: fc.constantFrom(null, null, null, null, -1, 1_000, 60_000),
  addresses,
  permissions,
  customValue: fc.oneof(nil, nil, customValue),
});

const update = fc.record({
  kind: fc.constant('update' as const),
  key,
  limit: fc.oneof(unset, nil, limit),
  ttl,
  // An update may set an expiry in the past.
  expiresIn: fc.oneof(unset, nil, expiresIn, fc.constant(-1), fc.constant(0)),
  permissions: fc.oneof(unset, unset, permissions),
  addresses: fc.oneof(unset, unset, addresses),
  customValue: fc.oneof(unset, unset, customValue),
});

const change = fc.record({
  kind: fc.constantFrom('revoke' as const, 'reactivate' as const, 'erase' as const),
  key,
});

const rotate = fc.record({
  kind: fc.constant('rotate' as const),
  key,
  grace: fc.constantFrom(0, 1, 60),
});

const validate = fc.record({
  kind: fc.constant('validate' as const),
  value: key,
  form: fc.constantFrom<RequestForm>('path', 'path', 'body', 'old form', 'batch'),
  origin: fc.boolean(),
  clientIP: fc.constantFrom(undefined, undefined, '10.9.8.7', '::ffff:192.0.2.1', '192.0.2.2'),
  required: fc.constantFrom(undefined, undefined, ['a.read'], ['a.read', 'b']),
  cost: fc.constantFrom(undefined, undefined, undefined, 0, 1, 2, 4),
  times: fc.constantFrom(1, 1, 3),
});

const wait = fc.record({
  kind: fc.constant('wait' as const),
  ms: fc.constantFrom(1, 499, 500, 999, 1_000, 1_001, 59_000, 60_000),
});

const project = fc.record({
  kind: fc.constantFrom('delete project' as const, 'reactivate project' as const),
});

const single = fc.oneof(
  { weight: 3, arbitrary: create },
  { weight: 2, arbitrary: update },
  { weight: 2, arbitrary: change },
  { weight: 2, arbitrary: rotate },
  { weight: 12, arbitrary: validate },
  { weight: 4, arbitrary: wait },
  { weight: 1, arbitrary: project },
);

/** Uses up a window, then lowers the limit below the count: random commands rarely do this. */
const lowered: fc.Arbitrary<Command[]> = fc
  .tuple(limit, rotate, validate)
  .map(([to, turn, use]) => {
    const limited = {
      kind: 'update',
      key: 0,
      ttl: 60,
      expiresIn: null,
      permissions: ['*'],
      addresses: null,
      customValue: undefined,
    } as const;
    const uses = { ...use, value: 0, times: 3 };
    const made = { kind: 'create', limit: 3, ttl: 60, expiresIn: null, domains: false } as const;
    const open = { startsIn: null, addresses: null, permissions: ['*'], customValue: null };
    return [{ ...made, ...open }, uses, turn, { ...limited, limit: to }, uses];
  });

export const commands: fc.Arbitrary<Command[]> = fc
  .array(
    fc.oneof(
      { weight: 25, arbitrary: single.map((command) => [command]) },
      { weight: 1, arbitrary: lowered },
    ),
    { minLength: 10, maxLength: 60, size: 'max' },
  )
  .map((parts) => parts.flat());
