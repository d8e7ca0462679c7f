import { AREAS, nounOf } from '@keyward/rules/areas.ts';
import { type Fields, fieldsOf } from '@keyward/rules/resources/field.ts';
import { DESCRIPTIONS, type DescribedArea } from '@keyward/rules/resources/index.ts';
import type { ListId, OperationId } from 'keyward';
import { CLEAR_OPTION, cleared, NOTHING_TO_CHANGE } from './clear-option.ts';
import type { Command } from './command.ts';
import { UsageError } from './failure.ts';
import { withListed } from './fields/filters.ts';
import { changeOptions, clearable, fieldOptions, fieldValues } from './fields/options.ts';
import { listCommand } from './listing.ts';
import { resourceCommand } from './resource-command.ts';

/** The areas whose operations have the usual names: `createPlan`, `listPlans`, … */
type CrudArea = {
  [Name in DescribedArea]: `delete${Capitalize<(typeof AREAS)[Name]['resource']>}` extends OperationId
    ? Name
    : never;
}[DescribedArea];

/** What the help of a command says instead of the usual. */
type Special = Partial<
  Record<'create' | 'update' | 'delete', Partial<Pick<Command, 'summary' | 'details' | 'examples'>>>
>;

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1);

/** The five usual commands of a resource of projects. */
export function crudCommands(area: CrudArea, special: Special = {}): readonly Command[] {
  const { resource, id } = AREAS[area];
  const fields: Fields = DESCRIPTIONS[area];
  const noun = nounOf(resource);
  const operation = (verb: string) => `${verb}${capital(resource)}` as OperationId;
  const args = [{ name: noun.toUpperCase(), help: `The id of the ${noun} (${id}_…)` }];
  const pathOf = (typed: readonly string[]) => ({ id: typed[0]! });
  const example = (rest: string) => [`npx keyward ${area} ${rest}`];
  const needed = fieldsOf(fields).flatMap(([, { required, option }]) => (required ? [option] : []));
  const given = needed.map((option) => `--${option} …`).join(' ');
  const clearing = clearable(fields);

  const create = resourceCommand({
    words: `${area} create`,
    summary: `Create a ${noun}`,
    options: {
      ...fieldOptions(fields),
      project: { value: 'ID', help: 'The project (prj_…). Default: that of the access key' },
    },
    examples: example(`create ${given}`),
    ...special.create,
    async run({ api, out, values }) {
      const body = { projectId: values.project, ...fieldValues(fields, values) };
      return out.record(await api.call(operation('create'), { body }));
    },
  });

  const list = listCommand({
    words: `${area} list`,
    summary: `List ${noun}s, newest first`,
    operation: `${operation('list')}s` as ListId,
    columns: [
      ...withListed([{ field: 'id', title: 'id', whole: true }], fields),
      { field: 'createdAt', title: 'created' },
    ],
    options: { project: { value: 'ID', help: `Only ${noun}s of this project` } },
    examples: [...example('list'), ...example('list --project prj_…')],
    query: (values) => ({ projectId: values.project }),
  });

  const get = resourceCommand({
    words: `${area} get`,
    summary: `Show a ${noun}`,
    args,
    examples: example(`get ${id}_…`),
    run: async ({ api, out, args }) =>
      out.record(await api.call(operation('get'), { path: pathOf(args) })),
  });

  const update = resourceCommand({
    words: `${area} update`,
    summary: `Change a ${noun}`,
    details: 'Options that are not given stay unchanged; lists are replaced as a whole.',
    args,
    options: { ...changeOptions(fields), clear: CLEAR_OPTION(clearing) },
    examples: example(`update ${id}_… ${given}`),
    ...special.update,
    async run({ api, out, values, args }) {
      const { clear, ...typed } = values as typeof values & { readonly clear?: string[] };
      const body = { ...cleared(clear, clearing), ...fieldValues(fields, typed) };
      if (Object.keys(body).length === 0) throw new UsageError(NOTHING_TO_CHANGE);
      return out.record(await api.call(operation('update'), { path: pathOf(args), body }));
    },
  });

  const remove = resourceCommand({
    words: `${area} delete`,
    summary: `Delete a ${noun}`,
    args,
    examples: example(`delete ${id}_…`),
    ...special.delete,
    async run({ api, out, args }) {
      const deleted = await api.call(operation('delete'), { path: pathOf(args) });
      return out.done(`${capital(noun)} deleted.`, deleted);
    },
  });

  return [create, list, get, update, remove];
}
