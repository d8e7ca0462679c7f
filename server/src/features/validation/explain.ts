import Type from 'typebox';
import { missing } from '../../../../sdk/src/rules/permissions.ts';
import type { Clock } from '../../kernel/clock.ts';
import { defineRoute, type Route } from '../../kernel/route.ts';
import { strict } from '../../kernel/schemas.ts';
import { type ApiKeyService, KeyParams } from '../api-keys/index.ts';
import { conditionsOf } from './conditions.ts';
import { explain } from './rules.ts';
import { explainFields } from './schema.ts';
import type { Validator } from './validator.ts';

const Explanation = Type.Object(
  {
    valid: Type.Boolean({
      description: 'Whether the key would pass all checks. Its rate limit is not checked.',
    }),
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
  },
  { title: 'Explanation' },
);

interface Parts {
  readonly keys: ApiKeyService;
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
      'Makes the checks of a validation with the permissions, address and origin that you choose, and returns the result of each. Nothing is counted or taken from a limit.',
    access: 'keys:read',
    params: KeyParams,
    body: strict(explainFields.checked),
    describedBody: strict(explainFields.described, 'ExplainKey'),
    reply: Explanation,
    status: 200,
    errors: ['key_not_found'],
    async handle(call) {
      const row = await parts.keys.findWithLevels(call.actor.principal, call.params.key);
      const key = parts.validator.prepare(row);
      const conditions = { ...conditionsOf(call, call.body), origin: call.body.originDomain };
      const checks = explain(key, conditions, parts.clock());
      const { requirement } = conditions;
      return {
        valid: checks.every(({ passed }) => passed),
        code: checks.find(({ passed }) => passed === false)?.code ?? 'valid',
        missing: requirement === null ? [] : missing(requirement, key.grants),
        checks,
      };
    },
  });
