import { expect, it } from 'vitest';

/**
 * If a mutation makes a file throw while it is imported, its test file cannot be loaded, which the
 * mutation tests do not count as a failure. Here the import is part of a test, so the test fails.
 */
it.each([
  ['the decision', () => import('#server/features/validation/rules.ts')],
  ['the checks of a key', () => import('@keyward/rules/check-key.ts')],
  ['authority', () => import('#server/kernel/authority.ts')],
  ['addresses of webhooks', () => import('#server/features/webhooks/transport/address-rules.ts')],
  ['counters', () => import('#server/cluster/counters/memory.ts')],
  ['permissions', () => import('@keyward/rules/permissions.ts')],
  ['addresses', () => import('@keyward/rules/addresses.ts')],
  ['origins', () => import('@keyward/rules/origin.ts')],
  ['roles', () => import('@keyward/rules/roles.ts')],
  ['expiry', () => import('#server/kernel/time/expiry.ts')],
])('%s can be loaded', async (_, load) => {
  expect(Object.keys(await load())).not.toEqual([]);
});
