import type { DatabaseSync } from 'node:sqlite';
import { sealHeaders, sealSecret } from '../server/src/features/webhooks/encryption.ts';
import { signatureHeaders } from '../server/src/features/webhooks/transport/sign.ts';
import { deriveSecrets } from '../server/src/kernel/crypto.ts';
import { createIds } from '../server/src/kernel/ids.ts';
import { ROOT_SECRET } from './keyward-server.ts';
import { seeding } from './seed.ts';

const SIGNING_SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

/** A message as it is delivered, for a peer that sends the same. */
export interface SignedMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Writes webhooks, and events that wait for them, straight into the file of a stopped server, in
 * turn one for each. Answers what they will send.
 */
export const seedDeliveries = (
  dataDirectory: string,
  urls: readonly string[],
  count: number,
): SignedMessage[] =>
  seeding(dataDirectory, (database) => {
    database.exec('BEGIN');
    const messages = insert(database, urls, count);
    database.exec('COMMIT');
    return messages;
  });

function insert(database: DatabaseSync, urls: readonly string[], count: number): SignedMessage[] {
  const makeId = createIds();
  const now = Date.now();
  const project = database.prepare('SELECT id, account_id FROM projects LIMIT 1').get() as {
    id: string;
    account_id: string;
  };
  const hooks = urls.map((url) => insertWebhook(database, project, url, makeId('whk'), now));
  const event = database.prepare(`
    INSERT INTO events (id, account_id, project_id, type, data, created_at)
    VALUES (?, ?, ?, 'api-key.updated', ?, ?)`);
  const delivery = database.prepare(`
    INSERT INTO deliveries (id, event_id, webhook_id, account_id, project_id, status, lane,
      attempts, due_at, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, 'pending', 0, 0, ?, ?, ?)`);
  const messages: SignedMessage[] = [];
  for (let n = 0; n < count; n++) {
    const eventId = makeId('evt');
    const data = recordLike(makeId('key'), project.id, n);
    event.run(eventId, project.account_id, project.id, data, now);
    delivery.run(
      makeId('dlv'),
      eventId,
      hooks[n % hooks.length]!,
      project.account_id,
      project.id,
      now,
      now,
      now,
    );
    messages.push(message(eventId, project, data, now));
  }
  return messages;
}

function insertWebhook(
  database: DatabaseSync,
  project: { id: string; account_id: string },
  url: string,
  id: string,
  now: number,
): string {
  const secrets = deriveSecrets(ROOT_SECRET);
  database
    .prepare(`
      INSERT INTO webhooks (id, account_id, project_id, name, url, topics, http_method, status,
        custom_headers, secret, created_at, updated_at)
      VALUES (?, ?, ?, 'bench', ?, '["api-key.updated"]', 'POST', 'live', ?, ?, ?, ?)`)
    .run(
      id,
      project.account_id,
      project.id,
      url,
      sealHeaders(secrets, id, {}),
      sealSecret(secrets, id, SIGNING_SECRET),
      now,
      now,
    );
  return id;
}

/** As long as the record of an ordinary key. */
const recordLike = (id: string, projectId: string, n: number): string =>
  JSON.stringify({
    id,
    key: 'live_AbCdEf*********',
    name: `Key ${n}`,
    customMetaData: { plan: 'pro', seats: 25 },
    customAccountId: `account-${n}`,
    customUserId: null,
    env: 'live',
    projectId,
    allowedDomains: null,
    createdAt: '2030-01-01T00:00:00.000Z',
    updatedAt: '2030-01-01T00:00:00.000Z',
    isActive: true,
    expiresAt: null,
    rateLimitConfigs: { rateLimit: 100, rateLimitTtl: 60 },
    creationContext: {},
    firstUsedAt: null,
    lastUsedAt: null,
  });

function message(
  id: string,
  project: { id: string; account_id: string },
  data: string,
  now: number,
): SignedMessage {
  const timestamp = new Date(now).toISOString();
  const { account_id: accountId, id: projectId } = project;
  const envelope = { id, type: 'api-key.updated', timestamp, accountId, projectId };
  const body = JSON.stringify({ ...envelope, data: JSON.parse(data) });
  const signed = signatureHeaders({ id, timestampMs: now, body, secrets: [SIGNING_SECRET] });
  return { body, headers: { 'content-type': 'application/json', ...signed } };
}
