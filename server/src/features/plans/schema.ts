import Type, { type Static } from 'typebox';
import { Id, Name, PageQuery, strict, Time } from '../../kernel/schemas.ts';
import { levelFields, levelInput } from '../policies/index.ts';

export const Plan = Type.Object(
  {
    id: Id('pln', 'the plan'),
    projectId: Id('prj', 'its project'),
    name: Name,
    ...levelFields,
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Plan' },
);
export type Plan = Static<typeof Plan>;

export const CreatePlan = strict(
  {
    name: Name,
    projectId: Type.Optional(Id('prj', 'the project of the plan')),
    ...levelInput,
  },
  'CreatePlan',
);
export type CreatePlan = Static<typeof CreatePlan>;

export const UpdatePlan = Type.Object(
  { name: Type.Optional(Name), ...levelInput },
  { additionalProperties: false, minProperties: 1, title: 'UpdatePlan' },
);
export type UpdatePlan = Static<typeof UpdatePlan>;

export const PlanParams = strict({ id: Id('pln', 'the plan') });

export const ListPlans = strict({
  projectId: Type.Optional(Id('prj', 'the project')),
  ...PageQuery,
});
export type ListPlans = Static<typeof ListPlans>;
