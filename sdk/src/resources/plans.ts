import type { Calls } from '../http/calls.ts';
import { type Crud, crud } from '../http/crud.ts';
import type { BodyOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/** Settings that many keys share. */
export interface Plans extends ReturnType<typeof plans> {
  /** Applies at once to all keys with this plan. */
  update: Crud<'Plan'>['update'];
  /** Fails while keys, customers or the project use the plan. */
  delete: Crud<'Plan'>['delete'];
}

export const plans = (calls: Calls) => ({
  ...crud(calls, 'Plan'),

  /** Replays recorded usage through limits and credits, and returns what they would have refused. */
  preview: (body: BodyOf<'previewPlan'>, options: CallOptions = {}) =>
    // A million recorded minutes take several seconds.
    calls.call('previewPlan', { body }, { timeoutMs: 30_000, ...options }),
});
