import { expect, it, test } from 'vitest';
import { isPattern, isResource, matchesResource } from './request-resource.ts';

test.each([
  ['POST:/v1/chat', 'POST:/v1/chat', true],
  ['POST:/v1/chat', 'POST:/v1/chats', false],
  ['POST:/v1/chat*', 'POST:/v1/chats', true],
  ['POST:/v1/chat*', 'POST:/v1/chat', true],
  ['POST:*', 'GET:/v1/chat', false],
  ['POST:*', null, false],
  ['*', 'GET:/v1/chat', true],
  ['*', null, true],
])('%s matches %s: %s', (pattern, resource, expected) => {
  expect(matchesResource([pattern], resource)).toBe(expected);
  expect(matchesResource(['other', pattern], resource)).toBe(expected);
});

it('knows resources and patterns', () => {
  const longest = 'a'.repeat(128);
  expect(['a', 'GET:/v1/users/:id', longest].every(isResource)).toBe(true);
  expect(['', 'a b', 'a*', 'ä', `${longest}a`, 'a\n'].some(isResource)).toBe(false);
  expect(['*', 'a', 'a*', longest, `${longest.slice(1)}*`].every(isPattern)).toBe(true);
  expect(['', '**', 'a*b', 'a b', `${longest}*`, 'a\n'].some(isPattern)).toBe(false);
});
