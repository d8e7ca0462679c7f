import { expect, it } from 'vitest';

/**
 * If a mutation makes a file throw while it is imported, its test file cannot be loaded, which the
 * mutation tests do not count as a failure. Here the import is part of a test, so the test fails.
 */
it.each([
  ['the decision', () => import('../server/src/features/validation/rules.ts')],
  ['the checks of a key', () => import('../rules/src/check-key.ts')],
  ['authority', () => import('../server/src/kernel/authority.ts')],
  [
    'addresses of webhooks',
    () => import('../server/src/features/webhooks/transport/address-rules.ts'),
  ],
  ['counters', () => import('../server/src/cluster/counters/memory.ts')],
  ['permissions', () => import('../rules/src/permissions.ts')],
  ['addresses', () => import('../rules/src/addresses.ts')],
  ['origins', () => import('../rules/src/origin.ts')],
  ['roles', () => import('../rules/src/roles.ts')],
  ['expiry', () => import('../server/src/kernel/time/expiry.ts')],
])('%s can be loaded', async (_, load) => {
  expect(Object.keys(await load())).not.toEqual([]);
});
