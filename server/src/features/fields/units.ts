import { isUnit, UNITS_MAX } from '@keyward/rules/cost.ts';
import Type from 'typebox';
import { listText } from '../policies/index.ts';

export const Units = (help: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 32, examples: ['tokens'] }), {
    maxItems: UNITS_MAX,
    description: help,
  });

export const unitsText = (
  field: string,
  units: readonly string[] | null | undefined,
): string | null =>
  listText(
    field,
    units,
    isUnit,
    'a unit; use lower-case letters, digits and -, but neither requests nor credits, which every project has',
  );
