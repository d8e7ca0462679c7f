import { AREAS, nounOf } from '@keyward/rules/areas.ts';
import { type ErrorCode, notFoundCode } from '../../kernel/errors.ts';
import type { Route } from '../../kernel/route.ts';
import { Deleted, deleted } from '../../kernel/schemas.ts';
import type { ProjectRecords, RecordArea } from './records.ts';
import { resourceSchemas, typeName } from './schemas.ts';

interface Text {
  readonly description: string;
  readonly errors?: readonly ErrorCode[];
}

/** The body in the API reference. */
interface WithExample {
  readonly example: object;
}

/** What is special about a route. */
interface Special {
  readonly create: Text & WithExample;
  readonly get: Text;
  readonly update: Text & WithExample;
  readonly delete: Text;
}

/** The five routes of a resource of projects. */
export function resourceRoutes<Area extends RecordArea>(
  area: Area,
  records: ProjectRecords<Area>,
  special: Special,
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
  const id = `${resource.toUpperCase().replaceAll('-', '_')}_ID`;
  const described = (verb: keyof Special, ...errors: ErrorCode[]) => ({
    description: special[verb].description,
    errors: [...errors, ...(special[verb].errors ?? [])],
  });
  const example = { params: { id: `$${id}` } };
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
      example: { body: special.create.example, keeps: [id, 'id'] },
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
      description:
        'Those of all projects that the caller may see, or with `projectId` those of one.',
      example: { query: { limit: 10 } },
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
      ...described('get', notFound),
      summary: `Retrieve ${aNoun}`,
      example,
      reply: record,
      handle: ({ actor, params }) => records.get(actor.principal, idOf(params)),
    },
    {
      ...one,
      ...write,
      ...described('update', notFound),
      method: 'PATCH',
      operationId: `update${name}`,
      summary: `Update ${aNoun}`,
      example: { ...example, body: special.update.example },
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
      example,
      reply: Deleted,
      handle: ({ actor, params }) => deleted(records.delete(actor, idOf(params))),
    },
  ];
}
