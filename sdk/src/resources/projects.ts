import type { Calls } from '../http/calls.ts';
import { crud } from '../http/crud.ts';
import type { CallOptions } from '../http/options.ts';

export type Projects = ReturnType<typeof projects>;

export function projects(calls: Calls) {
  const { delete: deactivate, ...usual } = crud(calls, 'Project');
  return {
    ...usual,

    /** Its keys are refused from now on; `reactivate` undoes this. */
    deactivate,

    reactivate: (id: string, options?: CallOptions) =>
      calls.call('reactivateProject', { path: { id } }, options),
  };
}
