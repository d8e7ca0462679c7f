import Type, { type Static } from 'typebox';
import { Id, Name, nullable, PageQuery, strict, Time, titled } from '../../kernel/schemas.ts';
import { PlanCreditsField } from '../credits/index.ts';
import { levelFields, levelInput } from '../policies/index.ts';

const credits = Type.Optional(
  Type.Union([PlanCreditsField, Type.Null()], {
    description:
      'The credits of customers with this plan, and of keys without a customer. A change acts at their next refill. Needs the scope `credits:write` too.',
  }),
);

export const Plan = Type.Object(
  {
    id: Id('pln', 'the plan'),
    projectId: Id('prj', 'its project'),
    name: Name,
    ...levelFields,
    credits: nullable(PlanCreditsField),
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
    credits,
  },
  'CreatePlan',
);
export type CreatePlan = Static<typeof CreatePlan>;

export const UpdatePlan = Type.Object(
  { name: Type.Optional(Name), ...levelInput, credits },
  { additionalProperties: false, minProperties: 1, title: 'UpdatePlan' },
);
export type UpdatePlan = Static<typeof UpdatePlan>;

export const PlanParams = strict({ id: titled('PlanId', Id('pln', 'the plan')) });

export const ListPlans = strict({
  projectId: Type.Optional(Id('prj', 'the project')),
  ...PageQuery,
});
export type ListPlans = Static<typeof ListPlans>;
