import Type from 'typebox';
import { Id, nullable } from '../../kernel/schemas.ts';

export const Role = Type.Union(
  [Type.Literal('owner'), Type.Literal('admin'), Type.Literal('developer'), Type.Literal('viewer')],
  {
    description:
      'The permissions of the user. From most to least: `owner`, `admin`, `developer`, `viewer`.',
  },
);

export const ProjectIds = nullable(
  Type.Array(Id('prj', 'a project'), {
    minItems: 1,
    maxItems: 50,
    description: 'The projects that the role is limited to. `null` means the whole account.',
  }),
);
