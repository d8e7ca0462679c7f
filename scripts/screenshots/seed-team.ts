import type { TestApp } from '../../server/test/harness/test-app.ts';
import { createTestPerson } from '../../server/test/harness/test-person.ts';

const PEOPLE = [
  { name: 'Grace Hopper', email: 'grace@acme.example', role: 'admin' },
  { name: 'Joan Clarke', email: 'joan@acme.example', role: 'developer' },
  { name: 'Mary Somerville', email: 'mary@acme.example', role: 'viewer' },
] as const;

/** Teammates who accepted their invitation, and one pending invitation. */
export async function seedTeam({ client, accountId, url }: TestApp): Promise<void> {
  const invite = async (email: string, role: string) =>
    (await client.post('/invitations', { emails: [email], role, accountId })).body[0];
  for (const { name, email, role } of PEOPLE) {
    const { id, link } = await invite(email, role);
    const token = new URL(link).hash.replace('#token=', '');
    const person = { token, name, password: `${name} types this by heart` };
    await createTestPerson(url).post(`/invitations/${id}/accept`, person);
  }
  await invite('dorothy@acme.example', 'developer');
}
