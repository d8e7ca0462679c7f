import type { Project } from 'keyward';
import { expect, it } from 'vitest';
import { matchingProject } from './matching-project.ts';

const project = (id: string, name: string, env: 'live' | 'test', part: Partial<Project> = {}) =>
  ({ id, name, env, accountId: 'acc_1', isActive: true, ...part }) as Project;

it('finds the matching project of the other environment', () => {
  const shop = project('1', 'Shop', 'live');
  const newest = project('2', 'Playground', 'test');
  const similar = project('3', 'Shop sandbox', 'test');
  const same = project('4', 'shop', 'test');
  expect(matchingProject([newest, similar, same, shop], shop)).toBe(same);
  expect(matchingProject([newest, similar, shop], shop)).toBe(similar);
  expect(matchingProject([newest, shop], shop)).toBe(newest);
  const inactive = project('5', 'Shop', 'test', { isActive: false });
  const foreign = project('6', 'Shop', 'test', { accountId: 'acc_2' });
  expect(matchingProject([inactive, foreign, shop], shop)).toBeUndefined();
  expect(matchingProject([shop, similar], similar)).toBe(shop);
});
