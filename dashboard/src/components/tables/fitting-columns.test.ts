import { expect, it } from 'vitest';
import { fittingColumns } from './fitting-columns.ts';

const COLUMNS = [
  { id: 'name', width: 'minmax(8rem, 3fr)' },
  { id: 'key', width: '10rem', optional: 2 },
  { id: 'limit', width: '5rem', optional: 3 },
  { id: 'used', width: '6rem', optional: 1 },
  { id: 'created', width: '6rem', optional: 3 },
  { id: 'actions', width: '2rem' },
];
const shownAt = (rem: number, hasCheckboxes = false) =>
  fittingColumns(COLUMNS, rem * 16, hasCheckboxes).map(({ id }) => id);

it('hides the least important columns until the rest fit', () => {
  expect(shownAt(50)).toEqual(['name', 'key', 'limit', 'used', 'created', 'actions']);
  expect(shownAt(44)).toEqual(['name', 'key', 'limit', 'used', 'actions']);
  expect(shownAt(36)).toEqual(['name', 'key', 'used', 'actions']);
  expect(shownAt(24)).toEqual(['name', 'used', 'actions']);
});

it('counts the width of the checkboxes, and never hides columns that are not optional', () => {
  expect(shownAt(44.5, true)).not.toContain('created');
  expect(shownAt(5)).toEqual(['name', 'actions']);
});
