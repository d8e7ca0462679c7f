import type { operations } from '../generated/api-types.ts';
import type { OPERATIONS } from '../generated/operations.ts';

/** The `operationId` in docs/openapi.json: `createApiKey`, `listProjects`, … */
export type OperationId = keyof typeof OPERATIONS & keyof operations;

type Parameters<Id extends OperationId> = operations[Id]['parameters'];

export type PathOf<Id extends OperationId> = NonNullable<Parameters<Id>['path']>;
export type QueryOf<Id extends OperationId> = NonNullable<Parameters<Id>['query']>;

type ContentOf<Id extends OperationId> = NonNullable<operations[Id]['requestBody']>;

/** A merge patch may omit more than a body of type JSON, so we send that where the server accepts it. */
export type BodyOf<Id extends OperationId> =
  ContentOf<Id> extends { content: { 'application/merge-patch+json': infer Body } }
    ? Body
    : ContentOf<Id> extends { content: { 'application/json': infer Body } }
      ? Body
      : never;

export type ResponseBodyOf<Id extends OperationId> =
  operations[Id]['responses'][keyof operations[Id]['responses']] extends {
    content: { 'application/json': infer Body };
  }
    ? Body
    : never;

type PathPart<Id extends OperationId> = [PathOf<Id>] extends [never]
  ? { readonly path?: never }
  : { readonly path: PathOf<Id> };
type QueryPart<Id extends OperationId> = [QueryOf<Id>] extends [never]
  ? { readonly query?: never }
  : { readonly query?: QueryOf<Id> };
type BodyPart<Id extends OperationId> = [BodyOf<Id>] extends [never]
  ? { readonly body?: never }
  : undefined extends operations[Id]['requestBody']
    ? { readonly body?: BodyOf<Id> }
    : { readonly body: BodyOf<Id> };

/** The input of a call: only the parts (path, query, body) that its operation has. */
export type InputOf<Id extends OperationId> = PathPart<Id> & QueryPart<Id> & BodyPart<Id>;
