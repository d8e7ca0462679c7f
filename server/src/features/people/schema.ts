import Type from 'typebox';
import { Id, nullable } from '../../kernel/schemas.ts';

export const Role = Type.Union(
  [Type.Literal('owner'), Type.Literal('admin'), Type.Literal('developer'), Type.Literal('viewer')],
  { description: 'What the person may do, strongest first: owner admin developer viewer.' },
);

export const ProjectIds = nullable(
  Type.Array(Id('prj', 'a project'), {
    minItems: 1,
    maxItems: 50,
    description: 'The projects that the role is narrowed to; `null`: the whole account.',
  }),
);
