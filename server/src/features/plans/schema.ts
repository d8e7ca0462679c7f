import type { Static } from 'typebox';
import { resourceSchemas } from '../resources/index.ts';

export const { record: Plan, create: CreatePlan } = resourceSchemas('plans');
export type Plan = Static<typeof Plan>;
