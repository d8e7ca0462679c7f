import type { TestApp } from '../../server/test/harness/test-app.ts';
import type { TestPerson } from '../../server/test/harness/test-person.ts';
import { seedPlans } from './seed-plans.ts';

/** Age of the oldest example data. */
export const SEED_DAYS = 15;

export interface SeededKey {
  readonly id: string;
  readonly value: string;
  /** Validations in an average hour. */
  readonly hourly: number;
  readonly revoked: boolean;
}

interface Story {
  readonly keys: readonly SeededKey[];
  readonly webhookId: string;
  readonly planId: string;
  readonly credentials: { readonly email: string; readonly password: string };
}

const CREDENTIALS = { email: 'ada@acme.example', password: 'the looms of Jacquard weave' };
const DAY_MS = 86_400_000;

interface ExampleKey {
  readonly name: string;
  readonly account: string;
  readonly hourly: number;
  readonly limit?: number;
  readonly expiresInDays?: number;
  readonly revoked?: boolean;
}

const EXAMPLE_KEYS: readonly ExampleKey[] = [
  { name: 'Billing, production', account: 'northwind', hourly: 46 },
  { name: 'Mobile app', account: 'northwind', hourly: 31, limit: 26 },
  { name: 'Checkout service', account: 'contoso', hourly: 24 },
  { name: 'Partner import', account: 'fabrikam', hourly: 9, expiresInDays: SEED_DAYS + 4 },
  { name: 'Reporting, nightly', account: 'contoso', hourly: 7 },
  { name: 'Data warehouse', account: 'tailspin', hourly: 6, limit: 4 },
  { name: 'Support console', account: 'adventure', hourly: 5 },
  { name: 'Old integration', account: 'fabrikam', hourly: 2, revoked: true },
  { name: 'Trial of Wingtip', account: 'wingtip', hourly: 3, expiresInDays: SEED_DAYS + 11 },
  { name: 'Shipping labels', account: 'lucerne', hourly: 4 },
  { name: 'Search indexer', account: 'proseware', hourly: 3 },
  { name: 'Status page', account: 'adventure', hourly: 1 },
];

/** Example data of an established account: projects, keys, credentials, a webhook. */
export async function seedStory(test: TestApp, ada: TestPerson): Promise<Story> {
  const { client, projectId, accountId } = test;
  await ada.post('/auth/setup', { token: test.setupToken, name: 'Ada Lovelace', ...CREDENTIALS });
  await ada.patch(`/accounts/${accountId}`, { name: 'Acme Cloud' });
  await client.patch(`/projects/${projectId}`, { name: 'Production' });
  await client.post('/projects', { name: 'Sandbox', env: 'test', accountId });
  for (const [name, scopes] of [
    ['API gateway', ['keys:validate']],
    ['Back office', ['keys:read', 'keys:write']],
    ['Grafana', ['analytics:read']],
  ] as const)
    await client.post('/access-keys', { name, projectId, scopes });
  const webhook = await client.post('/webhooks', {
    name: 'Customer portal',
    url: 'https://hooks.acme.example/keyward',
    projectId,
    topics: ['api-key.created', 'api-key.updated', 'api-key.deleted'],
    httpMethod: 'POST',
    status: 'live',
  });
  const planId = await seedPlans(test);
  const keys: SeededKey[] = [];
  for (const example of EXAMPLE_KEYS.toReversed()) keys.push(await seedKey(test, example));
  const webhookId: string = webhook.body.id;
  return { keys: keys.toReversed(), webhookId, planId, credentials: CREDENTIALS };
}

async function seedKey(test: TestApp, example: ExampleKey): Promise<SeededKey> {
  const { client, projectId, clock } = test;
  const { name, account, hourly, limit, expiresInDays, revoked = false } = example;
  const { body } = await client.post('/api-keys', {
    name,
    projectId,
    customAccountId: account,
    customMetaData: { region: 'eu-central' },
    ...(limit && { rateLimitConfigs: { rateLimit: limit, rateLimitTtl: 3600 } }),
    ...(expiresInDays && { expiry: new Date(clock.now + expiresInDays * DAY_MS).toISOString() }),
  });
  if (revoked) await client.delete(`/api-keys/${body.id}`);
  return { id: body.id, value: body.key, hourly, revoked };
}
