import { TOPICS } from '../../src/features/changes/index.ts';
import type { TestClient } from './test-client.ts';

/**
 * Events are stored only if a webhook is subscribed to them: this one is, and sends nothing, because it is
 * paused.
 */
export async function storeEvents(client: Pick<TestClient, 'post'>): Promise<void> {
  const { status, text } = await client.post('/webhooks', {
    name: 'Stores events',
    url: 'https://example.com/',
    topics: [...TOPICS],
    projectId: null,
    status: 'paused',
  });
  if (status !== 201) throw new Error(text);
}
