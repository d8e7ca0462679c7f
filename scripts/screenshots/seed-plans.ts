import type { TestApp } from '../../server/test/harness/test-app.ts';

const DAY = 86_400;

/** Two plans, and customers that have them. Returns the id of the larger plan. */
export async function seedPlans({ client, projectId }: TestApp): Promise<string> {
  const starter = await client.post('/plans', {
    projectId,
    name: 'Starter',
    limits: [{ name: 'day', rateLimit: 2_000, rateLimitTtl: DAY, per: 'customer' }],
    permissions: ['documents.read'],
  });
  const scale = await client.post('/plans', {
    projectId,
    name: 'Scale',
    limits: [
      { name: 'second', rateLimit: 100, rateLimitTtl: 1 },
      {
        name: 'day',
        rateLimit: 25_000,
        rateLimitTtl: DAY,
        per: 'customer',
        algorithm: 'sliding',
      },
    ],
    credits: { amount: 50_000, interval: 'month' },
    permissions: ['documents.*', 'reports.read'],
  });
  await client.patch(`/projects/${projectId}`, { defaultPlanId: starter.body.id });
  const planId: string = scale.body.id;
  for (const customer of [
    { customAccountId: 'fabrikam', name: 'Fabrikam', credits: { remaining: 12_000 } },
    { customAccountId: 'tailspin', name: 'Tailspin Toys', tags: ['trial'] },
    { customAccountId: 'adventure', name: 'Adventure Works' },
    { customAccountId: 'contoso', name: 'Contoso', planId, tags: ['eu-west'] },
    {
      customAccountId: 'northwind',
      name: 'Northwind Traders',
      email: 'api@northwind.example',
      planId,
      tags: ['enterprise', 'eu-west'],
      limits: [{ name: 'day', rateLimit: 50_000, rateLimitTtl: DAY, per: 'customer' }],
      customMetaData: { accountManager: 'Grace' },
    },
  ])
    await client.post('/customers', { projectId, ...customer });
  return planId;
}
