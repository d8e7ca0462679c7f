import { amountOf, CREDITS } from '@keyward/rules/cost.ts';
import { missing } from '@keyward/rules/permissions.ts';
import { matchesResource } from '@keyward/rules/request-resource.ts';
import Type, { type Static } from 'typebox';
import { knownCount, type TakeAllResult } from '../../cluster/counters/counters.ts';
import { defineRoute, type Route } from '../../kernel/route.ts';
import { nullable, strict, Time } from '../../kernel/schemas.ts';
import { type Clock, isoTime } from '../../kernel/time/clock.ts';
import { KeyParams, type KeyReader, type KeyWithLevels } from '../api-keys/index.ts';
import { type CreditService, Credits } from '../credits/index.ts';
import { describeLevels, Limit, limitsOfKey } from '../policies/index.ts';
import { explain } from './rules.ts';
import type { Validator } from './validator.ts';
import { rejectUndeclaredUnits } from './verdict.ts';
import { conditionsOf } from './wire/conditions.ts';
import { explainFields } from './wire/request-schema.ts';

const Level = Type.Union([Type.Literal('key'), Type.Literal('customer'), Type.Literal('plan')], {
  description: 'Where it is set.',
});

const ExplainedLimit = Type.Object(
  {
    ...Limit.properties,
    level: Level,
    remaining: Type.Integer({ description: 'What is left in the window now.' }),
    resetAt: nullable({
      ...Time,
      description:
        'When the window closes; for a sliding limit, when the cost fits again. Null: nothing is counted now.',
    }),
    exceeded: Type.Boolean({
      description: 'The cost does not fit. If `mode` is `enforce`, the limit would refuse.',
    }),
  },
  { title: 'ExplainedLimit' },
);

const ExplainedCredits = Type.Object(
  {
    ...Credits.properties,
    level: Level,
    exceeded: Type.Boolean({ description: 'Fewer credits are left than the cost.' }),
  },
  { title: 'ExplainedCredits' },
);

const Explanation = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether the key would pass all checks.' }),
    code: Type.String({ description: '`valid`, or the error code of the check that fails.' }),
    missing: Type.Array(Type.String(), {
      description: 'The required permissions that the key lacks.',
    }),
    checks: Type.Array(
      Type.Object({
        check: Type.String({ examples: ['not expired'] }),
        code: Type.String({ description: 'The error code if this check fails.' }),
        passed: Type.Union([Type.Boolean(), Type.Null()], {
          description: 'Null: not made, because an earlier check failed.',
        }),
      }),
      { description: 'In the order in which a validation makes them.' },
    ),
    limits: Type.Array(ExplainedLimit, {
      description:
        'The limits of the key that apply to the request. `default` is the name of the limit in `rateLimitConfigs`.',
    }),
    credits: nullable(ExplainedCredits),
  },
  { title: 'Explanation' },
);

interface Parts {
  readonly keys: KeyReader;
  readonly credits: CreditService;
  readonly validator: Validator;
  readonly clock: Clock;
}

export const explainRoute = (parts: Parts): Route =>
  defineRoute({
    method: 'POST',
    path: '/api-keys/:key/explain',
    operationId: 'explainApiKey',
    tag: 'api-keys',
    summary: 'Explain whether a key would be valid',
    description:
      'Runs the checks of a validation with the permissions, address, origin and cost that you choose, up to the first that fails, and returns their results, with what is left of each limit and of the credits. Nothing is counted or taken.',
    example: {
      params: { key: '$KEY' },
      body: { permissions: 'documents.write', clientIP: '203.0.113.7' },
    },
    access: 'keys:read',
    params: KeyParams,
    body: strict(explainFields.checked),
    describedBody: strict(explainFields.described, 'ExplainKey'),
    reply: Explanation,
    status: 200,
    errors: ['key_not_found', 'unit_not_declared'],
    async handle(call) {
      const row = await parts.keys.findWithLevels(call.actor.principal, call.params.key);
      const key = parts.validator.prepare(row);
      const conditions = { ...conditionsOf(call, call.body), origin: call.body.originDomain };
      const { cost, requirement, resource } = conditions;
      rejectUndeclaredUnits(key, null, cost);
      const now = parts.clock();
      const taken = await parts.validator.wouldTake(key, conditions, now);
      const credits = key.credits && (await parts.credits.read(key.credits));
      const { levels } = describeLevels(row);
      const hasCredits = credits === null || amountOf(cost, CREDITS) <= credits.remaining;
      const fits = { limits: taken === null || taken.refusedBy < 0, credits: hasCredits };
      const checks = explain(key, conditions, now, fits);
      return {
        valid: checks.every(({ passed }) => passed),
        code: checks.find(({ passed }) => passed === false)?.code ?? 'valid',
        missing: requirement === null ? [] : missing(requirement, key.grants),
        checks,
        limits: explainedLimits(row, taken, resource),
        credits: credits && { ...credits, level: levels.credits!, exceeded: !hasCredits },
      };
    },
  });

function explainedLimits(
  row: KeyWithLevels,
  taken: TakeAllResult | null,
  resource: string | null,
): Static<typeof ExplainedLimit>[] {
  const { limits, levels } = describeLevels(row);
  const applies = ({ for: patterns }: Limit) =>
    patterns === undefined || matchesResource(patterns, resource);
  return limitsOfKey(row, limits)
    .filter(applies)
    .map((limit, n) => {
      const state = taken!.states[n]!;
      return {
        ...limit,
        level: levels.limits[limit.name] ?? 'key',
        remaining: limit.rateLimit - state.consumed,
        resetAt: knownCount(state) === 0 ? null : isoTime(Math.ceil(state.resetAt)),
        exceeded: state.isExceeded,
      };
    });
}
