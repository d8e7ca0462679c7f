import { readFile } from 'node:fs/promises';
import type { TestApp } from '../../server/test/harness/test-app.ts';
import type { SeededKey } from './seed-story.ts';

const RETURN_URL = 'https://app.acme.example/settings';

/** The settings of the portal, a busy minute, and a link for a customer. Returns the path of the link. */
export async function seedPortal(
  { client, clock, projectId }: TestApp,
  [key]: readonly SeededKey[],
): Promise<string> {
  const logo = await readFile(new URL('logo.png', import.meta.url), 'base64');
  await client.patch(`/projects/${projectId}`, {
    name: 'Production',
    branding: { name: 'Acme Cloud', logo, accentColor: '#0b6e4f' },
    portalOrigins: [new URL(RETURN_URL).origin],
  });
  const { now } = clock;
  // The plan admits 100 per second.
  for (let second = 60; second > 0; second--) {
    clock.now = now - second * 1_000;
    await client.post('/api-keys/auth', { key: key!.value, cost: 100 });
  }
  clock.now = now;
  const session = { projectId, customAccountId: 'northwind', returnUrl: RETURN_URL };
  const { body } = await client.post('/portal-sessions', session);
  const { pathname, hash } = new URL(body.url);
  return pathname + hash;
}
