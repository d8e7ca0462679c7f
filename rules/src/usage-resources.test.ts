import { expect, it } from 'vitest';
import { isUsageResource, usageResource } from './usage-resources.ts';

it('a request counts as the first pattern that matches, else as other', () => {
  const patterns = ['POST:/v1/chat', 'POST:*', 'GET:/v1/*'];
  expect(usageResource(patterns, 'POST:/v1/chat')).toBe('POST:/v1/chat');
  expect(usageResource(patterns.toReversed(), 'POST:/v1/chat')).toBe('POST:*');
  expect(usageResource(patterns, 'GET:/v1/files')).toBe('GET:/v1/*');
  expect(usageResource(patterns, 'DELETE:/v1/files')).toBe('other');
  expect(usageResource(patterns, null)).toBe('other');
  expect(usageResource([...patterns, '*'], null)).toBe('*');
});

it('other is not declared, because every project has it', () => {
  expect(isUsageResource('other')).toBe(false);
  expect(isUsageResource('others')).toBe(true);
  expect(isUsageResource('a b')).toBe(false);
});
