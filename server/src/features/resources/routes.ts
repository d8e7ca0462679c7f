import { AREAS, nounOf } from '@keyward/rules/areas.ts';
import { type ErrorCode, notFoundCode } from '../../kernel/errors.ts';
import type { Route } from '../../kernel/route.ts';
import { Deleted, deleted } from '../../kernel/schemas.ts';
import type { ProjectRecords, RecordArea } from './records.ts';
import { resourceSchemas, typeName } from './schemas.ts';

/** What is special about a route. */
type Special = Partial<
  Record<
    'create' | 'update' | 'delete',
    { readonly description: string; readonly errors?: readonly ErrorCode[] }
  >
>;

/** The five routes of a resource of projects. */
export function resourceRoutes<Area extends RecordArea>(
  area: Area,
  records: ProjectRecords<Area>,
  special: Special = {},
): Route[] {
  const { resource } = AREAS[area];
  const { record, create, update, params, list } = resourceSchemas(area);
  const noun = nounOf(resource);
  const aNoun = `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
  const name = typeName(resource);
  const all = { path: `/${area}`, tag: area, status: 200 } as const;
  const one = { ...all, path: `/${area}/:id`, params } as const;
  const read = { access: `${area}:read` } as const;
  const write = { access: `${area}:write` } as const;
  const described = (verb: keyof Special, ...errors: ErrorCode[]) => ({
    ...special[verb],
    errors: [...errors, ...(special[verb]?.errors ?? [])],
  });
  const idOf = (path: unknown) => (path as { readonly id: string }).id;
  const notFound = notFoundCode(resource);
  return [
    {
      ...all,
      ...write,
      ...described('create', 'project_required', 'project_not_found', 'project_inactive'),
      method: 'POST',
      operationId: `create${name}`,
      summary: `Create ${aNoun}`,
      body: create,
      reply: record,
      status: 201,
      creates: true,
      handle: ({ actor, body, idempotency }) => records.create(actor, body as never, idempotency),
    },
    {
      ...all,
      ...read,
      method: 'GET',
      operationId: `list${name}s`,
      summary: `List ${noun}s, newest first`,
      query: list,
      reply: record,
      list: true,
      handle: ({ actor, query }) => records.list(actor.principal, query as never),
    },
    {
      ...one,
      ...read,
      method: 'GET',
      operationId: `get${name}`,
      summary: `Retrieve ${aNoun}`,
      reply: record,
      errors: [notFound],
      handle: ({ actor, params }) => records.get(actor.principal, idOf(params)),
    },
    {
      ...one,
      ...write,
      ...described('update', notFound),
      method: 'PATCH',
      operationId: `update${name}`,
      summary: `Update ${aNoun}`,
      body: update,
      reply: record,
      updates: true,
      handle: ({ actor, params, body }) => records.update(actor, idOf(params), body as never),
    },
    {
      ...one,
      ...write,
      ...described('delete', notFound),
      method: 'DELETE',
      operationId: `delete${name}`,
      summary: `Delete ${aNoun}`,
      reply: Deleted,
      handle: ({ actor, params }) => deleted(records.delete(actor, idOf(params))),
    },
  ];
}
