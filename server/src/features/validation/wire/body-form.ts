import type { Conditions } from '@keyward/rules/check-key.ts';
import { both } from '@keyward/rules/permissions.ts';
import { isResource, RESOURCE_LENGTH_MAX } from '@keyward/rules/request-resource.ts';
import type { Static } from 'typebox';
import { KeywardError } from '../../../kernel/errors.ts';
import { costIn, requirementOf } from './conditions.ts';
import type { ValidateInBody } from './request-schema.ts';

/** The values of a batch, and the conditions of each. */
export interface Batch {
  readonly values: readonly string[];
  /** One for all, or one for each value. */
  readonly conditions: Conditions | readonly Conditions[];
}

/** Throws if fields of a body exclude each other. */
export function checkBodyForm(body: Static<typeof ValidateInBody>): void {
  const { key, keys, lease, leases, cost, policies, permissions, clientIP, resource } = body;
  const { accounting } = body;
  if ((key === undefined) === (keys === undefined))
    throw new KeywardError('invalid_body', 'Send either key or keys.');
  if (key !== undefined && lease === 0)
    throw new KeywardError('invalid_body', 'lease must be at least 1 with key.');
  if (keys !== undefined && lease !== undefined) {
    const isPlain = keys.every((each) => typeof each === 'string');
    if (
      lease !== 0 ||
      !policies ||
      !isPlain ||
      (permissions ?? clientIP ?? leases ?? resource) !== undefined
    )
      throw new KeywardError(
        'invalid_body',
        'With keys, lease must be 0 and policies true, without other fields: nothing is leased, and the client checks.',
      );
  }
  if (accounting !== undefined && !policies)
    throw new KeywardError('invalid_body', 'accounting can be sent only with lease and policies.');
  if (leases !== undefined && (lease === undefined || !policies))
    throw new KeywardError('invalid_body', 'leases can be sent only with lease and policies.');
  if (cost !== undefined && (keys !== undefined || (lease !== undefined && !policies)))
    throw new KeywardError(
      'invalid_body',
      'cost can be sent only with key, and with lease only if policies is true. In a batch, send it with each key.',
    );
}

interface KeyWithConditions {
  readonly key: string;
  readonly permissions?: unknown;
  readonly cost?: unknown;
  readonly resource?: unknown;
}
type KeyInBatch = string | KeyWithConditions;

/** The requirement of an element is added to the common one; its resource replaces the common one. */
export function batchOf(keys: readonly KeyInBatch[], common: Conditions): Batch {
  const isPlain = keys.every((each) => typeof each === 'string');
  if (isPlain) return { values: keys, conditions: common };
  return {
    values: keys.map((each) => (typeof each === 'string' ? each : each.key)),
    conditions: keys.map((each, n) => {
      if (typeof each === 'string') return common;
      const own = requirementOf(each.permissions, 'invalid_body');
      return {
        ...common,
        requirement: both(common.requirement, own),
        cost: costIn(each.cost, `keys.${n}.cost`),
        resource: resourceOf(each, n) ?? common.resource,
      };
    }),
  };
}

function resourceOf({ resource }: KeyWithConditions, n: number): string | undefined {
  if (resource === undefined || (typeof resource === 'string' && isResource(resource)))
    return resource;
  throw new KeywardError(
    'invalid_body',
    `keys.${n}.resource must be 1 to ${RESOURCE_LENGTH_MAX} letters, digits and . _ : / -.`,
  );
}
