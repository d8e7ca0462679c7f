import { AREAS, nounOf } from '@keyward/rules/areas.ts';
import { DESCRIPTIONS, type DescribedArea } from '@keyward/rules/resources/index.ts';
import Type from 'typebox';
import { Id, PageQuery, someOf, strict, Time, titled } from '../../kernel/schemas.ts';
import { createSchemas, outputSchemas, updateSchemas } from '../fields/index.ts';

/** `access-key`: `AccessKey`. */
export const typeName = (resource: string): string =>
  resource.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Those of the schemas that are optional, or those that are not. */
const optional = <S extends object>(schemas: S, are: boolean): S =>
  Object.fromEntries(
    Object.entries(schemas).filter(([, schema]) => Type.IsOptional(schema) === are),
  ) as S;

/**
 * The schemas of a resource of projects whose record has nothing but its id, its project, the fields of its
 * description, and its times.
 */
export function resourceSchemas<Name extends DescribedArea>(area: Name) {
  const { resource, id } = AREAS[area];
  const fields = DESCRIPTIONS[area];
  const title = typeName(resource);
  const noun = nounOf(resource);
  const inputs = createSchemas(fields);
  return {
    record: Type.Object(
      {
        id: Id(id, `the ${noun}`),
        projectId: Id('prj', 'its project'),
        ...outputSchemas(fields),
        createdAt: Time,
        updatedAt: Time,
      },
      { title },
    ),
    create: strict(
      {
        ...optional(inputs, false),
        projectId: Type.Optional(Id('prj', `the project of the ${noun}`)),
        ...optional(inputs, true),
      },
      `Create${title}`,
    ),
    update: someOf(updateSchemas(fields), `Update${title}`),
    params: strict({ id: titled(`${title}Id`, Id(id, `the ${noun}`)) }),
    list: strict({ projectId: Type.Optional(Id('prj', 'the project')), ...PageQuery }),
  };
}
