import { PLAN } from '@keyward/rules/resources/plan.ts';
import Type, { type Static } from 'typebox';
import { Id, PageQuery, someOf, strict, Time, titled } from '../../kernel/schemas.ts';
import { createSchemas, outputSchemas, updateSchemas } from '../fields/index.ts';

const { name, ...createSettings } = createSchemas(PLAN);

export const Plan = Type.Object(
  {
    id: Id('pln', 'the plan'),
    projectId: Id('prj', 'its project'),
    ...outputSchemas(PLAN),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Plan' },
);
export type Plan = Static<typeof Plan>;

export const CreatePlan = strict(
  {
    name,
    projectId: Type.Optional(Id('prj', 'the project of the plan')),
    ...createSettings,
  },
  'CreatePlan',
);
export type CreatePlan = Static<typeof CreatePlan>;

export const UpdatePlan = someOf(updateSchemas(PLAN), 'UpdatePlan');
export type UpdatePlan = Static<typeof UpdatePlan>;

export const PlanParams = strict({ id: titled('PlanId', Id('pln', 'the plan')) });

export const ListPlans = strict({
  projectId: Type.Optional(Id('prj', 'the project')),
  ...PageQuery,
});
export type ListPlans = Static<typeof ListPlans>;
