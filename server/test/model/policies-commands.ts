import type { Interval as RefillInterval } from '@keyward/rules/calendar.ts';
import fc from 'fast-check';
import {
  type ModelLimit,
  type ModelPlan,
  type ModelRefill,
  type ModelRequest,
  TOKENS,
} from './policies-model.ts';

export const CUSTOMERS = ['customer a', 'customer b'];
export const PLANS = 2;
/** Except in UTC, the clocks change by an hour, or half an hour, on different days. */
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];

/** Index of a key, counted from the newest, modulo the number of existing keys. */
type KeyIndex = number;

export interface CreditsSetting {
  readonly remaining: number;
  readonly refill: ModelRefill | null;
}

interface KeySettings {
  readonly plan: number | null;
  readonly customer: number | null;
  readonly limits: readonly ModelLimit[];
  readonly rateLimitConfigs: { readonly rateLimit: number; readonly rateLimitTtl: number } | null;
  readonly credits: CreditsSetting | null;
}

export type PolicyCommand =
  | ({ readonly kind: 'create key' } & KeySettings)
  | {
      readonly kind: 'update key';
      readonly key: KeyIndex;
      readonly settings: KeySettings;
      readonly field: keyof KeySettings;
    }
  | { readonly kind: 'rotate'; readonly key: KeyIndex }
  | {
      readonly kind: 'customer';
      readonly customer: number;
      readonly plan: number | null;
      readonly limits: readonly ModelLimit[];
      /** Undefined: unchanged. */
      readonly credits: CreditsSetting | null | undefined;
    }
  | { readonly kind: 'delete customer'; readonly customer: number }
  | ({ readonly kind: 'plan'; readonly plan: number } & ModelPlan)
  | { readonly kind: 'default plan'; readonly plan: number | null }
  | {
      readonly kind: 'top up';
      /** Null: the credits of `customer` are changed. */
      readonly key: KeyIndex | null;
      readonly customer: number;
      readonly change: { readonly add: number } | { readonly set: number };
    }
  | ({
      readonly kind: 'validate';
      readonly key: KeyIndex;
      readonly times: number;
    } & ModelRequest)
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'read' };

/** Prefers the newest key: only a key that is used often reaches deep states. */
const key = fc.oneof(fc.constant(0), fc.constant(0), fc.nat(20));
const plan = fc.constantFrom(null, null, ...Array.from({ length: PLANS }, (_, n) => n));
const customer = fc.nat(CUSTOMERS.length - 1);
const rateLimit = fc.integer({ min: 1, max: 12 });
const nil = fc.constant(null);

/** Null three times out of four. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const limit: fc.Arbitrary<ModelLimit> = fc
  .record({
    name: fc.constantFrom('burst', 'day', 'shared'),
    rateLimit,
    per: fc.constantFrom('key', 'customer'),
    algorithm: fc.constantFrom('fixed', 'sliding'),
    mode: fc.constantFrom('enforce', 'enforce', 'enforce', 'shadow'),
    seconds: fc.constantFrom(1, 2),
    calendar: rarely(
      fc.record({
        interval: fc.constantFrom('day', 'day', 'week', 'month'),
        timezone: fc.constantFrom(...ZONES),
      }),
    ),
    unit: rarely(fc.constant(TOKENS)),
    patterns: rarely(fc.constantFrom<string[]>(['chat'], ['chat*', 'images'], ['*'])),
  })
  // The model tries each millisecond of a sliding window, so sliding windows are short.
  .map(({ seconds, calendar, unit, patterns, ...rest }) => ({
    ...rest,
    ...(rest.algorithm === 'sliding' || calendar === null
      ? { rateLimitTtl: rest.algorithm === 'sliding' ? seconds : seconds * 1_800 }
      : calendar),
    ...(unit !== null && { unit }),
    ...(patterns !== null && { for: patterns }),
  }));
const limits = fc.uniqueArray(limit, { maxLength: 3, selector: ({ name }) => name });
const amount = fc.integer({ min: 0, max: 25 });
const interval = fc.constantFrom<RefillInterval>('hour', 'hour', 'day', 'week', 'month');
const refill = fc.record({ amount, interval, timezone: fc.constantFrom(...ZONES) });
const credits = fc.record({ remaining: amount, refill: fc.oneof(nil, refill, refill) });
const cost = fc.constantFrom(0, 1, 1, 1, 2, 3, 7);

const settings = fc.record({
  plan,
  customer: fc.oneof(nil, customer, customer),
  limits: fc.oneof(fc.constant([]), limits),
  rateLimitConfigs: fc.oneof(
    nil,
    fc.record({ rateLimit, rateLimitTtl: fc.constantFrom(1, 3_600) }),
  ),
  credits: fc.oneof(nil, nil, credits),
});
const planSettings = fc.record({
  limits,
  credits: fc.oneof(nil, fc.record({ amount, interval: fc.oneof(nil, interval) })),
});

const kind = <K extends PolicyCommand['kind']>(name: K) => fc.constant(name);
const command: fc.Arbitrary<PolicyCommand> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(kind('create key'), settings)
      .map(([name, fields]) => ({ kind: name, ...fields })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('update key'),
      key,
      settings,
      field: fc.constantFrom('plan', 'customer', 'limits', 'rateLimitConfigs', 'credits'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('rotate'), key }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('customer'),
      customer,
      plan,
      limits,
      credits: fc.oneof(fc.constant(undefined), fc.constant(undefined), nil, credits),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete customer'), customer }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(kind('plan'), fc.nat(PLANS - 1), planSettings)
      .map(([name, each, fields]) => ({ kind: name, plan: each, ...fields })),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('default plan'), plan }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind('top up'),
      key: fc.oneof(nil, key),
      customer,
      change: fc.oneof(
        fc.record({ add: fc.integer({ min: -20, max: 20 }) }),
        fc.record({ set: amount }),
      ),
    }),
  },
  {
    weight: 16,
    arbitrary: fc.record({
      kind: kind('validate'),
      key,
      cost,
      tokens: fc.constantFrom(null, null, 0, 2, 13),
      resource: fc.constantFrom(null, 'chat', 'chat:new', 'images', 'other'),
      times: fc.constantFrom(1, 1, 2, 5),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind('wait'),
      ms: fc.oneof(
        fc.nat(2_500),
        fc.constantFrom(1_000, 5_000, 1_800_000, 3_600_000, 5_400_000, 86_400_000),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('read') }) },
);

export const policyCommands = fc.record({
  zone: fc.constantFrom(...ZONES.slice(1)),
  commands: fc.array(command, { minLength: 15, maxLength: 80, size: 'max' }),
});
