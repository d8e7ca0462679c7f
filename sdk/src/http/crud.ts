import { OPERATIONS } from '../generated/operations.ts';
import type { Calls, ItemOf, ListId } from './calls.ts';
import type { List } from './list.ts';
import type { BodyOf, OperationId, PathOf, QueryOf, ResponseBodyOf } from './operation.ts';
import type { CallOptions } from './options.ts';

type Verb = 'create' | 'get' | 'update' | 'delete';

/** Whether the operations are of the usual form: an id in the path, and nothing else besides a body. */
type IsUsual<Name extends string> = `${Verb}${Name}` extends OperationId
  ? [QueryOf<Extract<`${Verb}${Name}`, OperationId>>] extends [never]
    ? `list${Name}s` extends ListId
      ? true
      : false
    : false
  : false;

type NameOf<Id extends OperationId> = Id extends `create${infer Name}` ? Name : never;

/** The resources with `createPlan`, `listPlans`, `getPlan`, `updatePlan` and `deletePlan`. */
export type CrudName = {
  [Id in OperationId]: IsUsual<NameOf<Id>> extends true ? NameOf<Id> : never;
}[OperationId];

type Operation<V extends Verb, Name extends CrudName> = Extract<`${V}${Name}`, OperationId>;
type Lists<Name extends CrudName> = Extract<`list${Name}s`, ListId>;

export interface Crud<Name extends CrudName> {
  create(
    body: BodyOf<Operation<'create', Name>>,
    options?: CallOptions,
  ): Promise<ResponseBodyOf<Operation<'create', Name>>>;
  list(query?: QueryOf<Lists<Name>>, options?: CallOptions): List<ItemOf<Lists<Name>>>;
  get(id: string, options?: CallOptions): Promise<ResponseBodyOf<Operation<'get', Name>>>;
  update(
    id: string,
    body: BodyOf<Operation<'update', Name>>,
    options?: CallOptions,
  ): Promise<ResponseBodyOf<Operation<'update', Name>>>;
  delete(id: string, options?: CallOptions): Promise<ResponseBodyOf<Operation<'delete', Name>>>;
}

/** The five usual calls of a resource, by the names of its operations. */
export function crud<Name extends CrudName>(calls: Calls, name: Name): Crud<Name> {
  const [parameter] = /(?<=\{)\w+/.exec(OPERATIONS[`get${name}` as 'getPlan'].path)!;
  const pathOf = (id: string) => ({ [parameter]: id }) as PathOf<'getPlan'>;
  // The operations of all resources have the same form, so one stands for them.
  const call = (verb: Verb, input: object, options?: CallOptions) =>
    calls.call(`${verb}${name}` as 'getPlan', input as { path: PathOf<'getPlan'> }, options);
  const usual = {
    create: (body: object, options?: CallOptions) => call('create', { body }, options),
    list: (query: object = {}, options?: CallOptions) =>
      calls.list(`list${name}s` as 'listPlans', { query }, options),
    get: (id: string, options?: CallOptions) => call('get', { path: pathOf(id) }, options),
    update: (id: string, body: object, options?: CallOptions) =>
      call('update', { path: pathOf(id), body }, options),
    delete: (id: string, options?: CallOptions) => call('delete', { path: pathOf(id) }, options),
  };
  return usual as unknown as Crud<Name>;
}
