import type { TestApp } from '../../server/test/harness/test-app.ts';
import type { SeededKey } from './seed-story.ts';

const RETURN_URL = 'https://app.acme.example/settings';

/** A customer with a shared limit and credits, and a link to its portal. Returns the path of the link. */
export async function seedPortal(
  { client, projectId }: TestApp,
  [key]: readonly SeededKey[],
): Promise<string> {
  await client.patch(`/projects/${projectId}`, {
    name: 'Production',
    branding: { name: 'Acme Cloud', accentColor: '#0b6e4f' },
    portalOrigins: [new URL(RETURN_URL).origin],
  });
  const customer = { projectId, customAccountId: 'northwind' };
  await client.post('/customers', {
    ...customer,
    name: 'Northwind Traders',
    limits: [{ name: 'day', rateLimit: 10_000, rateLimitTtl: 86_400, per: 'customer' }],
    credits: { remaining: 84_000, refill: { amount: 100_000, interval: 'month' } },
  });
  await client.post('/api-keys/auth', { key: key!.value, cost: 3_680 });
  const { body } = await client.post('/portal-sessions', { ...customer, returnUrl: RETURN_URL });
  const { pathname, hash } = new URL(body.url);
  return pathname + hash;
}
